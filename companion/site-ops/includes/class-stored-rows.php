<?php
/**
 * GET and POST /guarded/stored/…: what is stored of one thing, row by row, and rows set back to the letter.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_Post;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/**
 * A row is a name and what stands there: the texts of the database, none where nothing is stored. Only rows that the
 * subject lists are told and written; a value that would make an object is never written.
 */
final class Stored_Rows {

	/** Who knows the rows of each subject: may(), refused(), plugin(), rows() and put(), see Stored_Seo. */
	const SUBJECTS = array(
		'seo-meta'      => Stored_Seo::class,
		'schema'        => Stored_Schema::class,
		'custom-schema' => Stored_Custom_Schema::class,
		'code-pages'    => Stored_Code::class,
	);

	/** Registers the routes. */
	public static function register_routes() {
		$live = array(
			'type'    => 'boolean',
			'default' => false,
		);
		$args = array( 'id' => Routes::id() );
		foreach ( self::SUBJECTS as $name => $subject ) {
			Guarded_Routes::add(
				'/stored/' . $name . '/(?P<id>\d+)',
				array(
					'may'   => array( $subject, 'may' ),
					'asks'  => $args,
					'takes' => $args + array(
						'rows'            => self::argument(),
						'allow_published' => $live,
					),
					'state' => static function ( $request ) use ( $subject ) {
						return self::state( $subject, $request );
					},
					'parts' => static function ( $request ) use ( $subject ) {
						return self::parts( $subject, $request );
					},
					'write' => static function ( $request ) use ( $subject ) {
						return self::write( $subject, $request );
					},
				)
			);
		}
	}

	/**
	 * The schema of rows.
	 *
	 * @return array
	 */
	public static function argument() {
		return array(
			'type'                 => 'object',
			'required'             => true,
			'minProperties'        => 1,
			// What stood in the database is written as it was.
			'sanitize_callback'    => null,
			'additionalProperties' => array(
				'type'     => 'array',
				'maxItems' => 20,
				'items'    => array( 'type' => 'string' ),
			),
		);
	}

	/**
	 * What a subject's own route tells beside its answer.
	 *
	 * @param string $subject A class of SUBJECTS.
	 * @param int    $id      Number of the post.
	 * @return array plugin (who keeps the rows, and its version) and rows: by name, of (what they belong to) and values.
	 */
	public static function told( $subject, $id ) {
		return array(
			'plugin' => $subject::plugin(),
			'rows'   => (object) $subject::rows( $id ),
		);
	}

	/**
	 * The rows, with the post they are of.
	 *
	 * @param string          $subject A class of SUBJECTS.
	 * @param WP_REST_Request $request The request.
	 * @return array
	 */
	private static function state( $subject, $request ) {
		$stored = self::told( $subject, $request['id'] );
		return array(
			'post'   => Seo_Meta::read( $request ),
			'stored' => $stored,
		);
	}

	/**
	 * Each row (`row:` and its name), and what else setting it back relies on.
	 *
	 * @param string          $subject A class of SUBJECTS.
	 * @param WP_REST_Request $request The request.
	 * @return array
	 */
	private static function parts( $subject, $request ) {
		$id    = $request['id'];
		$parts = Post_Parts::state( get_post( $id ) ) + array( 'plugin' => $subject::plugin() );
		foreach ( $subject::rows( $id ) as $name => $row ) {
			$parts[ 'row:' . $name ] = Json::text( $row['values'] );
		}
		return $parts;
	}

	/**
	 * Writes rows as they are given.
	 *
	 * @param string          $subject A class of SUBJECTS.
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	private static function write( $subject, $request ) {
		$post = get_post( $request['id'] );
		if ( ! $post || 'trash' === $post->post_status ) {
			return Access::not_found( $request['id'] );
		}
		$refused = $subject::refused( $post, $request['allow_published'] );
		if ( $refused ) {
			return $refused;
		}
		$fault = self::fault( $subject::rows( $post->ID ), $request['rows'] );
		$fault = $fault ? $fault : $subject::put( $post, $request['rows'] );
		if ( is_wp_error( $fault ) ) {
			return $fault;
		}
		Caches::post( $post->ID );
		return array( 'post_id' => $post->ID );
	}

	/**
	 * Refuses rows that are not among those that are known, and texts that would make an object.
	 *
	 * @param array $known Rows by name.
	 * @param array $rows  Values by name.
	 * @return WP_Error|null
	 */
	public static function fault( array $known, array $rows ) {
		foreach ( $rows as $name => $values ) {
			if ( ! isset( $known[ $name ] ) || ! is_array( $values ) ) {
				/* translators: %s: name of a row */
				return Errors::argument( 'rows', sprintf( __( 'There is no row %s to be set back', 'site-ops' ), $name ) );
			}
			if ( array_filter( $values, array( __CLASS__, 'makes_object' ) ) ) {
				/* translators: %s: name of a row */
				return Errors::argument( 'rows', sprintf( __( '%s would make an object', 'site-ops' ), $name ) );
			}
		}
		return null;
	}

	/**
	 * The texts under a meta key, as the database has them.
	 *
	 * @param int    $id  Number of the post.
	 * @param string $key The key.
	 * @return string[]
	 */
	public static function values( $id, $key ) {
		return wp_list_pluck( self::meta( $id, $key ), 'meta_value' );
	}

	/**
	 * Has exactly these texts stand under a meta key. WordPress's own functions would put other values in their place:
	 * plugins filter what they are given, and text that reads as serialised is serialised once more.
	 *
	 * @param int      $id     Number of the post.
	 * @param string   $key    The key.
	 * @param string[] $values The texts.
	 */
	public static function store( $id, $key, array $values ) {
		global $wpdb;
		$rows = self::meta( $id, $key );
		// phpcs:disable WordPress.DB.DirectDatabaseQuery, WordPress.DB.SlowDBQuery -- see above; the cache is dropped below.
		foreach ( array_values( $values ) as $at => $value ) {
			if ( ! isset( $rows[ $at ] ) ) {
				$row = array(
					'post_id'    => $id,
					'meta_key'   => $key,
					'meta_value' => $value,
				);
				$wpdb->insert( $wpdb->postmeta, $row );
				self::changed( 'added_post_meta', (int) $wpdb->insert_id, $id, $key, $value );
			} elseif ( $rows[ $at ]->meta_value !== $value ) {
				self::replace( (int) $rows[ $at ]->meta_id, $id, $key, $value );
			}
		}
		foreach ( array_slice( $rows, count( $values ) ) as $row ) {
			$wpdb->delete( $wpdb->postmeta, array( 'meta_id' => $row->meta_id ) );
			self::changed( 'deleted_post_meta', array( (int) $row->meta_id ), $id, $key, $row->meta_value );
		}
		// phpcs:enable
		wp_cache_delete( $id, 'post_meta' );
	}

	/**
	 * Puts key and text of one row.
	 *
	 * @param int    $meta_id Number of the row.
	 * @param int    $id      Number of the post.
	 * @param string $key     The key.
	 * @param string $value   The text.
	 */
	public static function replace( $meta_id, $id, $key, $value ) {
		global $wpdb;
		$row = array(
			'meta_key'   => $key, // phpcs:ignore WordPress.DB.SlowDBQuery
			'meta_value' => $value, // phpcs:ignore WordPress.DB.SlowDBQuery
		);
		// phpcs:ignore WordPress.DB.DirectDatabaseQuery -- as store().
		$wpdb->update( $wpdb->postmeta, $row, array( 'meta_id' => $meta_id ) );
		wp_cache_delete( $id, 'post_meta' );
		self::changed( 'updated_post_meta', $meta_id, $id, $key, $value );
	}

	/**
	 * Tells other plugins of a row as WordPress does.
	 *
	 * @param string    $action  Name of the action.
	 * @param int|int[] $meta_id Number of the row; all of them for one that is gone.
	 * @param int       $id      Number of the post.
	 * @param string    $key     The key.
	 * @param string    $value   The text.
	 */
	private static function changed( $action, $meta_id, $id, $key, $value ) {
		wp_cache_delete( $id, 'post_meta' );
		// phpcs:ignore WordPress.NamingConventions -- WordPress's own actions.
		do_action( $action, $meta_id, $id, $key, maybe_unserialize( $value ) );
	}

	/**
	 * The rows under a meta key, in the order in which WordPress reads them.
	 *
	 * @param int    $id  Number of the post.
	 * @param string $key The key.
	 * @return object[] meta_id and meta_value.
	 */
	private static function meta( $id, $key ) {
		global $wpdb;
		// phpcs:ignore WordPress.DB.DirectDatabaseQuery -- no function of WordPress tells what is stored to the letter.
		return $wpdb->get_results( $wpdb->prepare( "SELECT meta_id, meta_value FROM {$wpdb->postmeta} WHERE post_id = %d AND meta_key = %s ORDER BY meta_id", $id, $key ) );
	}

	/**
	 * Whether a text would make an object when WordPress reads it.
	 *
	 * @param string $value The text.
	 * @return bool
	 */
	public static function makes_object( $value ) {
		// Where a value may begin; a text that only reads like one is refused too.
		return is_serialized( $value ) && 1 === preg_match( '/(?:^|[;{}])\s*[OCE]:\+?\d/', $value );
	}
}
