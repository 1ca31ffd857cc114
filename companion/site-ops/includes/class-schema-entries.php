<?php
/**
 * GET /schema/entries, GET and POST /schema/entries/{id}: the site's custom schema.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** Lists entries and changes the value of one; adds none and takes none away. */
final class Schema_Entries {

	/** Registers the routes. */
	public static function register_routes() {
		$args = Routes::paging() + array(
			'needle' => array(
				'type'              => 'string',
				'maxLength'         => 500,
				'sanitize_callback' => null,
			),
		);
		Routes::read( '/schema/entries', array( __CLASS__, 'index' ), array( __CLASS__, 'may_list' ), $args );
		$path = '/schema/entries/(?P<id>\d+)';
		$may  = array( __CLASS__, 'may_edit' );
		Routes::read( $path, array( __CLASS__, 'read' ), $may, array( 'id' => Routes::id() ) );
		$args = array(
			'id'                => Routes::id(),
			'value'             => array(
				'type'              => array( 'string', 'array', 'object' ),
				'required'          => true,
				'sanitize_callback' => null,
			),
			'expect_value_type' => array(
				'type' => 'string',
				'enum' => array( 'string', 'array' ),
			),
			'allow_published'   => array(
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
	 * Whoever may edit what others wrote.
	 *
	 * @return bool
	 */
	public static function may_list() {
		return Access::has( 'edit_others_posts' );
	}

	/**
	 * Whoever may edit that entry and write unfiltered HTML.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return bool|WP_Error
	 */
	public static function may_edit( $request ) {
		if ( ! Access::has( 'edit_posts', 'unfiltered_html' ) ) {
			return false;
		}
		$store = Schema_Store::active();
		if ( ! $store ) {
			return self::no_store();
		}
		return $store->entry( $request['id'] ) ? current_user_can( 'edit_post', $request['id'] ) : self::missing( $request['id'] );
	}

	/**
	 * Answers GET /schema/entries.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function index( $request ) {
		$store = Schema_Store::active();
		if ( ! $store ) {
			return self::no_store();
		}
		$needle = (string) $request['needle'];
		$ids    = $store->ids();
		if ( '' !== $needle ) {
			$ids = array_values(
				array_filter(
					$ids,
					static function ( $id ) use ( $store, $needle ) {
						$entry = $store->entry( $id );
						return $entry && self::holds( $entry['value'], $needle );
					}
				)
			);
		}
		$page = array_slice( $ids, ( $request['page'] - 1 ) * $request['per_page'], $request['per_page'] );
		return array(
			'provider' => $store->id(),
			'entries'  => array_values( array_filter( array_map( array( $store, 'entry' ), $page ) ) ),
			'total'    => count( $ids ),
		);
	}

	/**
	 * Answers GET /schema/entries/{id}.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array
	 */
	public static function read( $request ) {
		return Schema_Store::active()->entry( $request['id'] );
	}

	/**
	 * An entry, with who keeps it.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function state( $request ) {
		$entry = self::read( $request );
		return $entry ? $entry + array(
			'provider' => Schema_Store::active()->id(),
			'stored'   => Stored_Rows::told( Stored_Custom_Schema::class, $request['id'] ),
		) : self::missing( $request['id'] );
	}

	/**
	 * An entry's parts, as texts by name.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function parts( $request ) {
		$entry = self::state( $request );
		if ( is_wp_error( $entry ) ) {
			return $entry;
		}
		unset( $entry['post_id'], $entry['stored'] );
		return array_map( array( Json::class, 'text' ), $entry );
	}

	/**
	 * Answers POST.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function write( $request ) {
		$id    = $request['id'];
		$store = Schema_Store::active();
		$entry = $store->entry( $id );
		$value = Json::argument( $request, 'value' );
		$fault = self::type_fault( $entry, $value, $request['expect_value_type'] );
		if ( ! $fault && $store->guards_published() ) {
			$fault = Access::refuse_live( get_post( $id ), $request['allow_published'] );
		}
		if ( ! $fault ) {
			$fault = $store->save( $id, $value );
		}
		if ( $fault ) {
			return $fault;
		}
		Caches::post( $id );
		return $store->entry( $id );
	}

	/**
	 * What is wrong with the type of a value: it must be the stored one's, down to list or object.
	 *
	 * @param array       $entry    The entry.
	 * @param mixed       $value    The value sent.
	 * @param string|null $expected The type the caller believes the entry to have.
	 * @return WP_Error|null
	 */
	private static function type_fault( array $entry, $value, $expected ) {
		$type = $entry['value_type'];
		$old  = $entry['value'];
		if ( 'none' === $type ) {
			$said = __( 'The entry has no custom markup: its plugin makes it from settings', 'site-ops' );
		} elseif ( null !== $expected && $expected !== $type ) {
			/* translators: 1: a type, 2: another */
			$said = sprintf( __( 'The entry is of type %1$s, not %2$s: read it again', 'site-ops' ), $type, $expected );
		} elseif ( 'string' === $type ) {
			$said = is_string( $value ) ? null : __( 'value must be a string', 'site-ops' );
		} elseif ( array_keys( $old ) === range( 0, count( $old ) - 1 ) ) {
			$said = is_array( $value ) ? null : __( 'value must be a list, as the stored one is', 'site-ops' );
		} else {
			$said = is_object( $value ) ? null : __( 'value must be an object, as the stored one is', 'site-ops' );
		}
		return null === $said ? null : Errors::make( 'value_type', $said, array( 'value_type' => $type ) );
	}

	/**
	 * Whether a value holds a text, whatever the case of its letters.
	 *
	 * @param mixed  $value  The value of an entry.
	 * @param string $needle The text.
	 * @return bool
	 */
	private static function holds( $value, $needle ) {
		$texts = array( is_string( $value ) ? $value : Json::text( $value ) );
		if ( is_array( $value ) ) {
			// The JSON within an array is escaped once more in its JSON form.
			array_walk_recursive(
				$value,
				static function ( $one ) use ( &$texts ) {
					$texts[] = is_string( $one ) ? $one : '';
				}
			);
		}
		foreach ( $texts as $text ) {
			if ( false !== stripos( $text, $needle ) ) {
				return true;
			}
		}
		return false;
	}

	/**
	 * The error of a site without custom schema.
	 *
	 * @return WP_Error
	 */
	private static function no_store() {
		$said = __( 'No plugin that keeps custom schema is active on this site (Schema Pro or Rank Math)', 'site-ops' );
		return Errors::make( 'schema_provider_missing', $said );
	}

	/**
	 * The error of a missing entry.
	 *
	 * @param int $id Number asked for.
	 * @return WP_Error
	 */
	private static function missing( $id ) {
		/* translators: %d: number of a post */
		return Errors::make( 'schema_entry_not_found', sprintf( __( 'Post %d holds no custom schema', 'site-ops' ), $id ) );
	}
}
