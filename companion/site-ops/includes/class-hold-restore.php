<?php
/**
 * POST /setbacks: writes back what stood there before a held call.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/**
 * Takes nothing but an image of this site's own, and only where every row is as that call left it. It runs in a held call:
 * so it is shown before it is done, in one transaction, may be taken back itself, and changes what visitors see only where
 * the gateway allows that.
 */
final class Hold_Restore {

	/** Registers the route. */
	public static function register_routes() {
		$image = array(
			'type'              => 'string',
			'required'          => true,
			'minLength'         => 65,
			'maxLength'         => Hold_Setback::BYTES_MAX + 64,
			// The text is compared byte by byte.
			'sanitize_callback' => null,
		);
		Routes::write( '/setbacks', array( __CLASS__, 'write' ), array( __CLASS__, 'may' ), array( 'image' => $image ) );
	}

	/**
	 * Whoever may write posts; which of them is judged by the image. Only a paired gateway can hold a call.
	 *
	 * @return bool
	 */
	public static function may() {
		return Access::has( 'edit_posts' );
	}

	/**
	 * Answers POST /setbacks.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function write( $request ) {
		if ( ! class_exists( Hold::class ) || ! Hold::is_held() ) {
			return Errors::make( 'not_allowed', __( 'What stood there is written back only in a held call', 'site-ops' ) );
		}
		$rows = Hold_Setback::open( $request['image'] );
		if ( null === $rows ) {
			return Errors::make( 'setback_unknown', __( 'This site did not make that image, or its keys were changed since', 'site-ops' ) );
		}
		foreach ( $rows as $row ) {
			$error = self::refusal( $row, $rows );
			if ( $error ) {
				return $error;
			}
		}
		// What a call made goes first: one of its name may come back.
		foreach ( $rows as $row ) {
			if ( null === $row['before'] ) {
				self::remove( $row );
			}
		}
		foreach ( $rows as $row ) {
			if ( null !== $row['before'] && ! self::put( $row ) ) {
				return Errors::make( 'busy', __( 'The database did not take what stood there', 'site-ops' ) );
			}
		}
		self::forget( $rows );
		return array( 'rows' => count( $rows ) );
	}

	/**
	 * Why a row is not set back; null where it may be.
	 *
	 * @param array   $row  As Hold_Setback has it.
	 * @param array[] $rows All of them.
	 * @return WP_Error|null
	 */
	private static function refusal( array $row, array $rows ) {
		$may = isset( $row['post'] ) ? current_user_can( 'edit_post', $row['post'] ) : current_user_can( 'manage_options' );
		if ( ! $may ) {
			/* translators: %s: what was changed */
			return Errors::make( 'not_allowed', sprintf( __( 'The account may not change %s', 'site-ops' ), self::name( $row ) ) );
		}
		if ( self::now( $row, $rows ) === $row['left'] ) {
			return null;
		}
		/* translators: %s: what was changed */
		return Errors::make( 'stale', sprintf( __( '%s is not as that call left it', 'site-ops' ), self::name( $row ) ) );
	}

	/**
	 * The sum of a row as it is now.
	 *
	 * @param array   $row  As Hold_Setback has it.
	 * @param array[] $rows All of them.
	 * @return string|null Null where there is none; "other" where another one has its place.
	 */
	private static function now( array $row, array $rows ) {
		global $wpdb;
		// phpcs:disable WordPress.DB -- the rows themselves, past every cache; the names of columns are the plugin's own.
		switch ( $row['table'] ) {
			case 'posts':
				$found = $wpdb->get_row( $wpdb->prepare( "SELECT * FROM {$wpdb->posts} WHERE ID = %d AND post_status <> 'trash'", $row['post'] ), ARRAY_A );
				$names = array_fill_keys( array_keys( $row['before'] ), '' );
				return $found ? Hold_Setback::sum( array_merge( $names, array_intersect_key( $found, $names ) ) ) : null;
			case 'postmeta':
				$found = $wpdb->get_results( $wpdb->prepare( "SELECT meta_id, meta_value FROM {$wpdb->postmeta} WHERE post_id = %d AND meta_key = %s", $row['post'], $row['key'] ), ARRAY_A );
				$all   = array_column( $found, 'meta_value', 'meta_id' );
				if ( isset( $all[ $row['id'] ] ) ) {
					return Hold_Setback::sum( array( $all[ $row['id'] ] ) );
				}
				return null === $row['left'] && array_diff( array_keys( $all ), self::fields_of( $row, $rows ) ) ? 'other' : null;
			case 'term_relationships':
				$order = $wpdb->get_var( $wpdb->prepare( "SELECT term_order FROM {$wpdb->term_relationships} WHERE object_id = %d AND term_taxonomy_id = %d", $row['post'], $row['id'] ) );
				return null === $order ? null : Hold_Setback::sum( array( $order ) );
		}
		$value = $wpdb->get_var( $wpdb->prepare( "SELECT option_value FROM {$wpdb->options} WHERE option_name = %s", $row['key'] ) );
		// phpcs:enable
		return null === $value ? null : Hold_Setback::sum( array( $value ) );
	}

	/**
	 * The fields of a post under one name that the image knows.
	 *
	 * @param array   $row  One of them.
	 * @param array[] $rows All rows.
	 * @return int[]
	 */
	private static function fields_of( array $row, array $rows ) {
		$ids = array();
		foreach ( $rows as $one ) {
			if ( 'postmeta' === $one['table'] && $one['post'] === $row['post'] && $one['key'] === $row['key'] ) {
				$ids[] = $one['id'];
			}
		}
		return $ids;
	}

	/**
	 * Takes away what a call added to a post.
	 *
	 * @param array $row As Hold_Setback has it.
	 */
	private static function remove( array $row ) {
		global $wpdb;
		// phpcs:disable WordPress.DB -- the row itself; its caches are dropped at the end.
		if ( 'postmeta' === $row['table'] ) {
			$wpdb->delete( $wpdb->postmeta, array( 'meta_id' => $row['id'] ) );
		} else {
			$wpdb->delete( $wpdb->term_relationships, self::key_of( $row ) );
		}
		// phpcs:enable
	}

	/**
	 * Writes a row as it was.
	 *
	 * @param array $row As Hold_Setback has it.
	 * @return bool Whether it was done.
	 */
	private static function put( array $row ) {
		global $wpdb;
		// phpcs:disable WordPress.DB -- the rows themselves, byte by byte; their caches are dropped at the end.
		switch ( $row['table'] ) {
			case 'posts':
				return false !== $wpdb->update( $wpdb->posts, $row['before'], array( 'ID' => $row['post'] ) );
			case 'options':
				return false !== $wpdb->update( $wpdb->options, $row['before'], array( 'option_name' => $row['key'] ) );
			case 'postmeta':
				$whole = array(
					'meta_id'  => $row['id'],
					'post_id'  => $row['post'],
					'meta_key' => $row['key'],
				);
				return false !== ( null === $row['left']
					? $wpdb->insert( $wpdb->postmeta, $whole + $row['before'] )
					: $wpdb->update( $wpdb->postmeta, $row['before'], array( 'meta_id' => $row['id'] ) ) );
		}
		return false !== ( null === $row['left']
			? $wpdb->insert( $wpdb->term_relationships, self::key_of( $row ) + $row['before'] )
			: $wpdb->update( $wpdb->term_relationships, $row['before'], self::key_of( $row ) ) );
		// phpcs:enable
	}

	/**
	 * The key of a term of a post.
	 *
	 * @param array $row As Hold_Setback has it.
	 * @return int[]
	 */
	private static function key_of( array $row ) {
		return array(
			'object_id'        => $row['post'],
			'term_taxonomy_id' => $row['id'],
		);
	}

	/**
	 * Dates the posts, counts their terms, and drops what was made of the rows as they were.
	 *
	 * @param array[] $rows As Hold_Setback has them.
	 */
	private static function forget( array $rows ) {
		global $wpdb;
		foreach ( array_unique( array_column( $rows, 'post' ) ) as $id ) {
			$now = array(
				'post_modified'     => current_time( 'mysql' ),
				'post_modified_gmt' => current_time( 'mysql', true ),
			);
			// phpcs:ignore WordPress.DB -- as above.
			$wpdb->update( $wpdb->posts, $now, array( 'ID' => $id ) );
			wp_cache_delete( $id, 'post_meta' );
			clean_post_cache( $id );
			clean_object_term_cache( $id, (string) get_post_type( $id ) );
			foreach ( Builder_Pages::MADE as $key ) {
				delete_post_meta( $id, $key );
			}
		}
		foreach ( $rows as $row ) {
			if ( 'term_relationships' === $row['table'] ) {
				$term = get_term_by( 'term_taxonomy_id', $row['id'] );
				if ( $term ) {
					wp_update_term_count_now( array( $row['id'] ), $term->taxonomy );
				}
			}
			if ( 'options' === $row['table'] ) {
				wp_cache_delete( $row['key'], 'options' );
				wp_cache_delete( 'alloptions', 'options' );
			}
		}
	}

	/**
	 * What a row is, in words.
	 *
	 * @param array $row As Hold_Setback has it.
	 * @return string
	 */
	private static function name( array $row ) {
		switch ( $row['table'] ) {
			case 'posts':
				/* translators: %d: number of a post */
				return sprintf( __( 'Post %d', 'site-ops' ), $row['post'] );
			case 'postmeta':
				/* translators: 1: name of a field, 2: number of a post */
				return sprintf( __( 'Field %1$s of post %2$d', 'site-ops' ), $row['key'], $row['post'] );
			case 'options':
				/* translators: %s: name of an option */
				return sprintf( __( 'Option %s', 'site-ops' ), $row['key'] );
		}
		/* translators: 1: number of a term, 2: number of a post */
		return sprintf( __( 'Term %1$d of post %2$d', 'site-ops' ), $row['id'], $row['post'] );
	}
}
