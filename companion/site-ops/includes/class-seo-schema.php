<?php
/**
 * GET and POST /seo/schema/{id}: structured data of one post.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** Reads, adds and replaces structured data of a post; takes none away. */
final class Seo_Schema {

	/** Registers the routes. */
	public static function register_routes() {
		$path = '/seo/schema/(?P<id>\d+)';
		$may  = array( __CLASS__, 'may' );
		Routes::read( $path, array( __CLASS__, 'read' ), $may, array( 'id' => Routes::id() ) );
		$args = array(
			'id'              => Routes::id(),
			'schema'          => array(
				'type'              => array( 'object', 'array', 'string' ),
				'required'          => true,
				'sanitize_callback' => null,
			),
			'entry_id'        => array(
				'type'    => 'string',
				'pattern' => '^[A-Za-z0-9_-]{1,64}$',
			),
			'allow_published' => array(
				'type'    => 'boolean',
				'default' => false,
			),
		);
		Routes::write( $path, array( __CLASS__, 'write' ), $may, $args );
		Guarded_Routes::add(
			$path,
			array(
				'may'   => $may,
				'asks'  => array( 'id' => Routes::id() ),
				'takes' => $args,
				'state' => array( __CLASS__, 'state' ),
				'parts' => array( __CLASS__, 'parts' ),
				'write' => array( __CLASS__, 'write' ),
			)
		);
	}

	/**
	 * Whoever may edit that post and write unfiltered HTML.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return bool|WP_Error
	 */
	public static function may( $request ) {
		return Access::edit( $request['id'], null, 'unfiltered_html' );
	}

	/**
	 * Answers GET.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array
	 */
	public static function read( $request ) {
		$id = $request['id'];
		return array(
			'post_id'     => $id,
			'post_status' => get_post_status( $id ),
			'provider'    => Seo_Provider::active()->id(),
			'shown'       => null === self::unshown( $id ),
			'unshown'     => self::unshown( $id ),
			'automatic'   => 'rankmath' === Seo_Provider::active()->id() ? Seo_Schema_Rank_Math::automatic( $id ) : null,
			'entries'     => self::store()->entries( $id ),
		);
	}

	/**
	 * The entries with the post they are of.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array
	 */
	public static function state( $request ) {
		return self::read( $request ) + array(
			'post'   => Seo_Meta::read( $request ),
			'stored' => Stored_Rows::told( Stored_Schema::class, $request['id'] ),
		);
	}

	/**
	 * Which entries there are, each of them (`entry:` and its number), and what else a change relies on.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array
	 */
	public static function parts( $request ) {
		$parts = array();
		$names = array();
		foreach ( self::store()->entries( $request['id'] ) as $entry ) {
			$parts[ 'entry:' . $entry['entry_id'] ] = Json::text( $entry['schema'] );
			$names[]                                = $entry['entry_id'] . ' ' . $entry['type'];
		}
		$more = array(
			'entries'  => implode( "\0", $names ),
			'provider' => Seo_Provider::active()->id(),
		);
		return Post_Parts::state( get_post( $request['id'] ) ) + $more + $parts;
	}

	/**
	 * Answers POST.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function write( $request ) {
		$schema = self::schema( Json::argument( $request, 'schema' ) );
		if ( is_wp_error( $schema ) ) {
			return $schema;
		}
		$post = Access::post( $request['id'] );
		if ( ! $post ) {
			return Access::not_found( $request['id'] );
		}
		$refused = Access::refuse_live( $post, $request['allow_published'] );
		if ( $refused ) {
			return $refused;
		}
		$unshown = self::unshown( $post->ID );
		if ( null !== $unshown ) {
			$said = 'list' === $unshown
				? __( 'Rank Math would not show it: this page lists the posts, and Rank Math prints structured data of single pages only', 'site-ops' )
				: __( 'Rank Math would not show it: its module Schema is off, or its set-up is not finished', 'site-ops' );
			return Errors::make( 'seo_not_shown', $said );
		}
		$entry = self::store()->save( $post->ID, $schema, self::type( $schema ), $request['entry_id'] );
		if ( is_wp_error( $entry ) ) {
			return $entry;
		}
		Caches::post( $post->ID );
		return array(
			'entry_id' => $entry,
			'type'     => self::type( $schema ),
			'created'  => null === $request['entry_id'],
		);
	}

	/**
	 * The types of structured data, in one text.
	 *
	 * @param mixed $schema An object or a list of objects.
	 * @return string Empty where there is none.
	 */
	public static function type( $schema ) {
		if ( is_array( $schema ) ) {
			$types = array_map( array( __CLASS__, 'type' ), $schema );
			return in_array( '', $types, true ) ? '' : implode( ', ', $types );
		}
		if ( ! is_object( $schema ) ) {
			return '';
		}
		if ( isset( $schema->{'@graph'} ) && is_array( $schema->{'@graph'} ) ) {
			return self::type( $schema->{'@graph'} );
		}
		$type = isset( $schema->{'@type'} ) ? (array) $schema->{'@type'} : array();
		return array_filter( $type, 'is_string' ) === $type ? implode( ', ', $type ) : '';
	}

	/**
	 * The entry of that number.
	 *
	 * @param string $entry_id Number asked for.
	 * @return WP_Error
	 */
	public static function missing( $entry_id ) {
		/* translators: %s: number of an entry */
		$said = sprintf( __( 'The post has no structured data "%s"', 'site-ops' ), $entry_id );
		return Errors::make( 'schema_entry_not_found', $said );
	}

	/**
	 * The structured data that search engines get of a post, whoever keeps it.
	 *
	 * @param int $id Number of the post.
	 * @return array
	 */
	public static function live( $id ) {
		$own   = new Seo_Schema_Own();
		$store = self::store();
		$more  = $store instanceof Seo_Schema_Own || null !== self::unshown( $id ) ? array() : $store->entries( $id );
		return array_column( array_merge( $own->entries( $id ), $more ), 'schema' );
	}

	/**
	 * Why the plugin that keeps structured data does not show that of a post.
	 *
	 * @param int $id Number of the post.
	 * @return string|null off (the module, or the whole plugin), list (of the page that lists the posts); null where it does.
	 */
	private static function unshown( $id ) {
		return 'rankmath' === Seo_Provider::active()->id() ? Seo_Schema_Rank_Math::hides( $id ) : null;
	}

	/**
	 * Where structured data of a post is kept: Rank Math shows its own, the rest is the plugin's.
	 *
	 * @return Seo_Schema_Own|Seo_Schema_Rank_Math
	 */
	private static function store() {
		return 'rankmath' === Seo_Provider::active()->id() ? new Seo_Schema_Rank_Math() : new Seo_Schema_Own();
	}

	/**
	 * What was sent, read and checked.
	 *
	 * @param mixed $schema A JSON text, an object or a list.
	 * @return mixed|WP_Error
	 */
	private static function schema( $schema ) {
		if ( is_string( $schema ) ) {
			$large  = Json::too_large( $schema );
			$schema = $large ? $large : Json::parse( $schema );
		} else {
			$large = Json::too_large( Json::text( $schema ) );
		}
		if ( $large || is_wp_error( $schema ) ) {
			return $large ? $large : $schema;
		}
		if ( '' === self::type( $schema ) ) {
			return Errors::make( 'invalid_json', __( 'The structured data has no @type', 'site-ops' ) );
		}
		return $schema;
	}
}
