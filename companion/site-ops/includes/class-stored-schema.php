<?php
/**
 * The rows of a post's structured data.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_Post;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** Entries that are there, each a row by its number: its JSON text, or what Rank Math keeps of it (key and text). */
final class Stored_Schema {

	/**
	 * Whoever may edit that post and write unfiltered HTML.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return bool|WP_Error
	 */
	public static function may( $request ) {
		return Seo_Schema::may( $request );
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
		return self::is_rank_math() ? Stored_Seo::plugin() : 'none';
	}

	/**
	 * All entries by their numbers.
	 *
	 * @param int $id Number of the post.
	 * @return array[] As Stored_Seo::rows().
	 */
	public static function rows( $id ) {
		return self::is_rank_math() ? self::of_rank_math( $id ) : Seo_Schema_Own::rows( $id );
	}

	/**
	 * Has these rows stand there.
	 *
	 * @param WP_Post $post The post.
	 * @param array   $rows Values by the numbers of entries.
	 * @return WP_Error|null
	 */
	public static function put( WP_Post $post, array $rows ) {
		foreach ( $rows as $entry => $values ) {
			$fault = self::is_rank_math() ? self::fault( $values ) : ( 1 === count( $values ) ? null : self::wrong() );
			if ( $fault ) {
				return $fault;
			}
		}
		foreach ( $rows as $entry => $values ) {
			if ( self::is_rank_math() ) {
				Stored_Rows::replace( (int) substr( $entry, strlen( 'schema-' ) ), $post->ID, $values[0], $values[1] );
			} else {
				Seo_Schema_Own::put( $post->ID, $entry, $values[0] );
			}
		}
		return null;
	}

	/**
	 * Rank Math's rows of a post: key and text of each.
	 *
	 * @param int $id Number of the post.
	 * @return array[] As Stored_Seo::rows().
	 */
	public static function of_rank_math( $id ) {
		$rows = array();
		foreach ( Seo_Schema_Rank_Math::rows( $id ) as $row ) {
			$entry          = 'schema-' . $row['meta_id'];
			$rows[ $entry ] = array(
				'of'     => $entry,
				'values' => array( $row['meta_key'], $row['text'] ),
			);
		}
		return $rows;
	}

	/**
	 * What a row of Rank Math may not be.
	 *
	 * @param string[] $values Key and text.
	 * @return WP_Error|null
	 */
	public static function fault( array $values ) {
		if ( 2 !== count( $values ) || ! preg_match( '/^' . Seo_Schema_Rank_Math::PREFIX . '[A-Za-z0-9]+$/', $values[0] ) ) {
			return self::wrong();
		}
		return is_array( maybe_unserialize( $values[1] ) ) ? null : self::wrong();
	}

	/**
	 * The error of a row that is none.
	 *
	 * @return WP_Error
	 */
	private static function wrong() {
		return Errors::argument( 'rows', __( 'That is no entry of structured data as it is stored', 'site-ops' ) );
	}

	/**
	 * Whether Rank Math keeps them.
	 *
	 * @return bool
	 */
	private static function is_rank_math() {
		return 'rankmath' === Seo_Provider::active()->id();
	}
}
