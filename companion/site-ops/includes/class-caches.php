<?php
/**
 * Telling caches that a post has changed.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** Clears what may hold an old form of a post. */
final class Caches {

	/**
	 * Clears the caches of one post: WordPress's own and those of the page caches in wide use.
	 *
	 * @param int $id Number of the post.
	 */
	public static function post( $id ) {
		clean_post_cache( $id );
		foreach ( array( 'rocket_clean_post', 'wpfc_clear_post_cache_by_id', 'wp_cache_post_change', 'w3tc_flush_post' ) as $clear ) {
			if ( function_exists( $clear ) ) {
				$clear( $id );
			}
		}
		do_action( 'litespeed_purge_post', $id );
		/**
		 * Fires when the plugin has changed what a post shows.
		 *
		 * @param int $id Number of the post.
		 */
		do_action( 'site_ops_post_changed', $id );
	}
}
