<?php
/**
 * GET and POST /seo/meta/{id}: the SEO fields of a post.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_Post;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** Reads and writes SEO fields through the site's provider. */
final class Seo_Meta {

	/** Fields that hold an address. */
	const ADDRESSES = array( 'canonical', 'og.image', 'twitter.image' );

	/** Arguments of GET: addresses of images that are to be set, to hear whether they would be shown. */
	const IMAGES = array(
		'og_image'      => 'og.image',
		'twitter_image' => 'twitter.image',
	);

	const TEXT_LENGTH = 5000;

	/** Registers the routes. */
	public static function register_routes() {
		$path = '/seo/meta/(?P<id>\d+)';
		$may  = array( __CLASS__, 'may' );
		$asks = array( 'id' => Routes::id() ) + array_fill_keys( array_keys( self::IMAGES ), array( 'type' => 'string' ) );
		Routes::read( $path, array( __CLASS__, 'read' ), $may, $asks );
		Routes::write( $path, array( __CLASS__, 'write' ), $may, self::args() );
		Guarded_Routes::add(
			$path,
			array(
				'may'   => $may,
				'asks'  => $asks,
				'takes' => self::args(),
				'state' => array( __CLASS__, 'state' ),
				'parts' => array( __CLASS__, 'parts' ),
				'write' => array( __CLASS__, 'write' ),
			)
		);
	}

	/**
	 * Whoever may edit that post.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return bool|WP_Error
	 */
	public static function may( $request ) {
		return Access::edit( $request['id'], null );
	}

	/**
	 * Answers GET.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array
	 */
	public static function read( $request ) {
		$images = array();
		foreach ( self::IMAGES as $argument => $name ) {
			if ( is_string( $request[ $argument ] ) ) {
				$images[ $name ] = $request[ $argument ];
			}
		}
		return self::answer( get_post( $request['id'] ), $images );
	}

	/**
	 * The fields with the rows they are stored in.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array
	 */
	public static function state( $request ) {
		return self::read( $request ) + array( 'stored' => Stored_Rows::told( Stored_Seo::class, $request['id'] ) );
	}

	/**
	 * The fields one by one, as texts by name as in Seo_Provider::TEXTS, and what else their change relies on.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array
	 */
	public static function parts( $request ) {
		$post     = get_post( $request['id'] );
		$provider = Seo_Provider::active();
		$parts    = Post_Parts::state( $post ) + array(
			'provider'           => $provider->id(),
			'twitter_follows_og' => (int) $provider->mirrors( $post->ID ),
		);
		foreach ( $provider->read( $post ) as $name => $value ) {
			foreach ( is_array( $value ) ? $value : array( $value ) as $key => $one ) {
				$parts[ is_array( $value ) ? $name . '.' . $key : $name ] = is_bool( $one ) ? (int) $one : $one;
			}
		}
		return $parts;
	}

	/**
	 * Answers POST: what is absent stays, an empty text clears, what does not change is not stored.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function write( $request ) {
		$changes = self::changes( $request );
		$post    = Access::post( $request['id'] );
		if ( ! $post ) {
			return Access::not_found( $request['id'] );
		}
		$provider = Seo_Provider::active();
		$refused  = Access::refuse_live( $post, $request['allow_published'] );
		$refused  = $refused ? $refused : $provider->in_the_way();
		if ( is_wp_error( $changes ) || $refused ) {
			return is_wp_error( $changes ) ? $changes : $refused;
		}
		$changes = $provider->changed( $post, $changes );
		$refused = self::not_shown( $changes, $provider->fixed( $post, $changes ) );
		if ( $refused ) {
			return $refused;
		}
		if ( $changes ) {
			$provider->write( $post, $changes );
		}
		return self::answer( get_post( $post->ID ) );
	}

	/**
	 * The fields sent, cleaned, by name as in Seo_Provider::TEXTS.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	private static function changes( $request ) {
		$changes = array();
		foreach ( Seo_Provider::TEXTS as $name ) {
			$path  = explode( '.', $name );
			$value = $request[ $path[0] ];
			$value = isset( $path[1] ) ? ( isset( $value[ $path[1] ] ) ? $value[ $path[1] ] : null ) : $value;
			if ( null === $value ) {
				continue;
			}
			$value = Text::line( $value );
			if ( in_array( $name, self::ADDRESSES, true ) ) {
				if ( ! Text::is_url( $value ) ) {
					/* translators: %s: name of a field */
					$text = __( '%s must be an absolute http or https address, or empty', 'site-ops' );
					return Errors::argument( $path[0], sprintf( $text, $name ) );
				}
				$value = esc_url_raw( $value, array( 'http', 'https' ) );
			}
			$changes[ $name ] = $value;
		}
		if ( ! empty( $request['robots'] ) ) {
			$changes['robots'] = array_map( 'boolval', $request['robots'] );
		}
		return $changes;
	}

	/**
	 * The refusal of a value that the site would not show; a text may always be cleared.
	 *
	 * @param array    $changes As Seo_Provider::changed() gives them.
	 * @param string[] $fixed   As Seo_Provider::fixed() gives it.
	 * @return WP_Error|null
	 */
	private static function not_shown( array $changes, array $fixed ) {
		$robots = isset( $changes['robots'] ) ? $changes['robots'] : array();
		$names  = array_keys( array_diff( array_diff_key( $changes, array( 'robots' => 0 ) ), array( '' ) ) );
		foreach ( array_keys( $robots ) as $name ) {
			$names[] = 'robots.' . $name;
		}
		foreach ( $names as $name ) {
			if ( isset( $fixed[ $name ] ) ) {
				/* translators: 1: name of a field, 2: a word */
				$said = sprintf( __( '%1$s: the site would not show that value (%2$s)', 'site-ops' ), $name, $fixed[ $name ] );
				return Errors::make( 'seo_not_shown', $said, array(
'param'  => $name,
'reason' => $fixed[ $name ]
) );
			}
		}
		return null;
	}

	/**
	 * A post's fields; beside them where a switch that is on comes from (origins) unless it is the post's own, what would
	 * not be shown (fixed), and what visitors get of texts where that is not what the post holds (shown).
	 *
	 * @param WP_Post $post   The post.
	 * @param array   $images Addresses that are to be set, by name.
	 * @return array
	 */
	private static function answer( WP_Post $post, array $images = array() ) {
		$provider = Seo_Provider::active();
		$fields   = $provider->read( $post );
		$stored   = array();
		foreach ( Seo_Provider::SHOWN as $name ) {
			$path            = explode( '.', $name );
			$stored[ $name ] = isset( $path[1] ) ? $fields[ $path[0] ][ $path[1] ] : $fields[ $name ];
		}
		$origins = array();
		foreach ( $provider->in_effect( $post ) as $name => $value ) {
			if ( $value['on'] && 'post' !== $value['by'] ) {
				$origins[ 'robots.' . $name ] = $value['by'];
			}
		}
		return array(
			'post_id'            => $post->ID,
			'post_type'          => $post->post_type,
			'post_status'        => $post->post_status,
			'post_title'         => $post->post_title,
			'post_protected'     => '' !== $post->post_password,
			'post_live'          => Access::is_live( $post ),
			'date_gmt'           => Access::goes_live( $post ),
			'modified_gmt'       => Drafts::modified_gmt( $post ),
			'provider'           => $provider->id(),
			'origins'            => (object) $origins,
			'fixed'              => (object) $provider->fixed( $post, $images ),

			'shown'              => (object) $provider->shown( $post, $stored ),

			'twitter_follows_og' => $provider->mirrors( $post->ID ),
		) + $fields;
	}

	/**
	 * The schemas of POST.
	 *
	 * @return array
	 */
	private static function args() {
		$text = array(
			'type'      => 'string',
			'maxLength' => self::TEXT_LENGTH,
		);
		$card = array(
			'type'                 => 'object',
			'additionalProperties' => false,
			'properties'           => array(
				'title'       => $text,
				'description' => $text,
				'image'       => $text,
			),
		);
		$bool = array( 'type' => 'boolean' );
		return array(
			'id'              => Routes::id(),
			'title'           => $text,
			'description'     => $text,
			'focus_keyword'   => $text,
			'canonical'       => $text,
			'robots'          => array(
				'type'                 => 'object',
				'additionalProperties' => false,
				'properties'           => array_fill_keys( Seo_Provider::ROBOTS, $bool ),
			),
			'og'              => $card,
			'twitter'         => $card,
			'allow_published' => $bool + array( 'default' => false ),
		);
	}
}
