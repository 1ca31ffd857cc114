<?php
/**
 * The rows of a post's SEO fields.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_Post;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** Post meta of the site's SEO plugin: the keys of the fields, and those that it keeps beside them. */
final class Stored_Seo {

	/**
	 * Whoever may edit that post.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return bool|WP_Error
	 */
	public static function may( $request ) {
		return Seo_Meta::may( $request );
	}

	/**
	 * Refuses what visitors see, unless the gateway was allowed to change it.
	 *
	 * @param WP_Post $post    The post as it is now.
	 * @param bool    $allowed Whether it was.
	 * @return WP_Error|null
	 */
	public static function refused( WP_Post $post, $allowed ) {
		return Access::refuse_live( $post, $allowed );
	}

	/**
	 * Who keeps the rows, and its version.
	 *
	 * @return string
	 */
	public static function plugin() {
		$provider = Seo_Provider::active();
		return trim( $provider->id() . ' ' . $provider->version() );
	}

	/**
	 * All of them by their keys, those that are not stored too.
	 *
	 * @param int $id Number of the post.
	 * @return array[] of: the field, as in Seo_Provider::TEXTS or its group; values.
	 */
	public static function rows( $id ) {
		$rows = array();
		foreach ( Seo_Provider::active()->row_keys() as $key => $of ) {
			$rows[ $key ] = array(
				'of'     => $of,
				'values' => Stored_Rows::values( $id, $key ),
			);
		}
		return $rows;
	}

	/**
	 * Has these rows stand there. What would be cleaned where it is written as a field needs the right to any HTML.
	 *
	 * @param WP_Post $post The post.
	 * @param array   $rows Values by key.
	 * @return WP_Error|null
	 */
	public static function put( WP_Post $post, array $rows ) {
		$provider = Seo_Provider::active();
		$refused  = $provider->in_the_way();
		foreach ( $refused ? array() : $rows as $key => $values ) {
			foreach ( $values as $value ) {
				if ( Text::line( $value ) !== $value && ! current_user_can( 'unfiltered_html' ) ) {
					/* translators: %s: name of a row */
					$said    = __( '%s holds what an account without the right unfiltered_html may not store', 'site-ops' );
					$refused = Errors::make( 'not_allowed', sprintf( $said, $key ) );
				}
			}
		}
		if ( $refused ) {
			return $refused;
		}
		foreach ( $rows as $key => $values ) {
			Stored_Rows::store( $post->ID, $key, $values );
		}
		$provider->restored( $post );
		return null;
	}
}
