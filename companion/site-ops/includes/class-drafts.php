<?php
/**
 * Writing pages that stay what they are: drafts.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_Post;

defined( 'ABSPATH' ) || exit;

/** The only place where pages are written. No status but draft is ever set, whatever other plugins filter. */
final class Drafts {

	/**
	 * Schemas of the arguments every page has.
	 *
	 * @param bool $making Whether the page is yet to be made.
	 * @return array
	 */
	public static function args( $making ) {
		return array(
			'title'  => array(
				'type'      => 'string',
				'minLength' => 1,
				'maxLength' => 1000,
				'required'  => $making,
			),
			'slug'   => array(
				'type'      => 'string',
				'maxLength' => 200,
			),
			'parent' => array(
				'type'    => 'integer',
				'minimum' => 0,
			),
		);
	}

	/**
	 * The columns for those arguments; an error where the parent is no page.
	 *
	 * @param \WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function columns( $request ) {
		$columns = array();
		if ( null !== $request['title'] ) {
			if ( '' === trim( $request['title'] ) ) {
				return Errors::argument( 'title', __( 'title is empty', 'site-ops' ) );
			}
			$columns['post_title'] = $request['title'];
		}
		if ( null !== $request['slug'] ) {
			$columns['post_name'] = sanitize_title( $request['slug'] );
		}
		if ( null !== $request['parent'] ) {
			$parent = $request['parent'];
			if ( 0 !== $parent && ! Access::post( $parent, 'page' ) ) {
				return Errors::argument( 'parent', __( 'parent is no page of this site', 'site-ops' ) );
			}
			$columns['post_parent'] = $parent;
		}
		return $columns;
	}

	/**
	 * Schemas of what is asked of the place of a page that is yet to be made.
	 *
	 * @return array
	 */
	public static function place() {
		return array_intersect_key( self::args( false ), array_flip( array( 'slug', 'parent' ) ) );
	}

	/**
	 * What stands at the place of a page that is yet to be made.
	 *
	 * @param \WP_REST_Request $request The request.
	 * @return array|WP_Error The page that has the slug there (id and title, or null).
	 */
	public static function place_found( $request ) {
		$columns = self::columns( $request );
		if ( is_wp_error( $columns ) ) {
			return $columns;
		}
		$asked = array(
			'post_type'      => 'page',
			'post_status'    => 'any',
			'post_parent'    => isset( $columns['post_parent'] ) ? $columns['post_parent'] : 0,
			'name'           => isset( $columns['post_name'] ) ? $columns['post_name'] : '',
			'posts_per_page' => 1,
			'orderby'        => 'ID',
			'order'          => 'ASC',
		);
		$found = '' === $asked['name'] ? array() : get_posts( $asked );
		return array(
			'taken' => $found ? array(
				'id'    => $found[0]->ID,
				'title' => $found[0]->post_title,
			) : null,
		);
	}

	/**
	 * The same in parts.
	 *
	 * @param \WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function place_parts( $request ) {
		$found = self::place_found( $request );
		return is_wp_error( $found ) ? $found : array( 'slug' => $found['taken'] ? $found['taken']['id'] : '' );
	}

	/**
	 * Makes a draft page.
	 *
	 * @param array $columns Columns of the page, not slashed.
	 * @return int|WP_Error Its number.
	 */
	public static function insert( array $columns ) {
		$columns = array(
			'post_type'   => 'page',
			'post_status' => 'draft',
		) + $columns;
		return self::keeping(
			'draft',
			static function () use ( $columns ) {
				return wp_insert_post( wp_slash( $columns ), true );
			}
		);
	}

	/**
	 * Changes a page that nobody sees yet; its status stays.
	 *
	 * @param WP_Post $post    The page as it is now.
	 * @param array   $columns Columns to change, not slashed.
	 * @return int|WP_Error Its number.
	 */
	public static function update( WP_Post $post, array $columns ) {
		// WordPress would refuse to save a page whose template the theme has no longer; the template stays as it is.
		$columns = array(
			'ID'            => $post->ID,
			'page_template' => '',
		) + $columns;
		return self::keeping(
			$post->post_status,
			static function () use ( $columns ) {
				return wp_update_post( wp_slash( $columns ), true );
			}
		);
	}

	/**
	 * Writes meta of a page and says whether it is there afterwards.
	 *
	 * @param int    $id    Number of the page.
	 * @param string $key   Name of the meta.
	 * @param mixed  $value Its value, not slashed.
	 * @return bool
	 */
	public static function meta( $id, $key, $value ) {
		update_post_meta( $id, $key, wp_slash( $value ) );
		return get_post_meta( $id, $key, true ) === $value;
	}

	/**
	 * What a page is answered with.
	 *
	 * @param int $id Number of the page.
	 * @return array
	 */
	public static function answer( $id ) {
		$post = get_post( $id );
		return array(
			'id'           => $post->ID,
			'status'       => $post->post_status,
			'url'          => get_permalink( $post ),
			'title'        => $post->post_title,
			'slug'         => $post->post_name,
			'parent'       => $post->post_parent,
			'modified_gmt' => self::modified_gmt( $post ),
		);
	}

	/**
	 * When a post was last changed; a draft that was never changed has no such time in UTC, only in local time.
	 *
	 * @param WP_Post $post The post.
	 * @return string
	 */
	public static function modified_gmt( WP_Post $post ) {
		$gmt = $post->post_modified_gmt;
		return mysql_to_rfc3339( '0000-00-00 00:00:00' === $gmt ? get_gmt_from_date( $post->post_modified ) : $gmt );
	}

	/**
	 * Runs a write during which no page gets another status than it has: not the one that is written, and none that
	 * another plugin saves along with it.
	 *
	 * @param string   $status The status of what is new.
	 * @param callable $write  The write.
	 * @return mixed What the write gave.
	 */
	public static function keeping( $status, $write ) {
		$pin = static function ( $data, $given ) use ( $status ) {
			if ( 'page' === $data['post_type'] ) {
				$now                 = empty( $given['ID'] ) ? false : get_post_status( (int) $given['ID'] );
				$data['post_status'] = false === $now ? $status : $now;
			}
			return $data;
		};
		add_filter( 'wp_insert_post_data', $pin, PHP_INT_MAX, 2 );
		try {
			return $write();
		} finally {
			remove_filter( 'wp_insert_post_data', $pin, PHP_INT_MAX );
		}
	}
}
