<?php
/**
 * The rows of an entry of custom schema.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_Post;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** What the plugin that keeps the entry stores of its value, and nothing of where it shows. */
final class Stored_Custom_Schema {

	/**
	 * Whoever may edit that entry and write unfiltered HTML.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return bool|WP_Error
	 */
	public static function may( $request ) {
		return Schema_Entries::may_edit( $request );
	}

	/**
	 * Refuses what visitors see, unless the gateway was allowed to change it.
	 *
	 * @param WP_Post $post    The post as it is now.
	 * @param bool    $allowed Whether it was.
	 * @return WP_Error|null
	 */
	public static function refused( WP_Post $post, $allowed ) {
		return Schema_Store::active()->guards_published() ? Access::refuse_live( $post, $allowed ) : null;
	}

	/**
	 * Who keeps the rows, and its version.
	 *
	 * @return string
	 */
	public static function plugin() {
		return Schema_Store::active()->plugin();
	}

	/**
	 * All of them by name.
	 *
	 * @param int $id Number of the post.
	 * @return array[] As Stored_Seo::rows().
	 */
	public static function rows( $id ) {
		return Schema_Store::active()->rows_of( $id );
	}

	/**
	 * Has these rows stand there.
	 *
	 * @param WP_Post $post The post.
	 * @param array   $rows Values by name.
	 * @return WP_Error|null
	 */
	public static function put( WP_Post $post, array $rows ) {
		return Schema_Store::active()->put( $post, $rows );
	}
}
