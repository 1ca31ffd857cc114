<?php
/**
 * Redirects kept by SEOPress.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Post;
use WP_Query;

defined( 'ABSPATH' ) || exit;

/** Posts of the type seopress_404: the title is the path without the slash in front, the rest is meta. */
final class Redirects_Seopress extends Redirect_Store {

	const TYPE     = 'seopress_404';
	const STATUSES = array( 301, 302, 307 );

	/** {@inheritDoc} */
	public function find( $source ) {
		$path = trim( $source, '/' );
		if ( '' === $path ) {
			// The home page has no title here, and without one every record would fit.
			return null;
		}
		// In the order in which SEOPress heeds them.
		foreach ( array( $path . '/', $path, '/' . $path ) as $title ) {
			$query = $this->query(
				array(
					'title'          => $title,
					'posts_per_page' => 1,
				)
			);
			if ( $query->posts ) {
				return self::read( $query->posts[0] );
			}
		}
		return null;
	}

	/** {@inheritDoc} */
	public function page( $page, $per_page ) {
		$query = $this->query(
			array(
				'paged'          => $page,
				'posts_per_page' => $per_page,
				// phpcs:ignore WordPress.DB.SlowDBQuery -- the type also holds mere records of missing pages.
				'meta_query'     => array(
					array(
						'key'   => '_seopress_redirections_enabled',
						'value' => 'yes',
					),
				),
			)
		);
		return array(
			'rows'  => array_map( array( __CLASS__, 'read' ), $query->posts ),
			'total' => Routes::total( $query ),
		);
	}

	/** {@inheritDoc} */
	public function save( $found, $source, $destination, $status ) {
		if ( ! in_array( $status, self::STATUSES, true ) ) {
			$said = __( 'SEOPress has no redirects of status 308: use 301 or 307', 'site-ops' );
			return Errors::make( 'redirect_target', $said, array( 'param' => 'status' ) );
		}
		$id = $found ? $found['id'] : wp_insert_post(
			wp_slash(
				array(
					'post_type'   => self::TYPE,
					// SEOPress heeds only records of this status; they are no pages and have no address.
					'post_status' => 'publish',
					'post_title'  => ltrim( $source, '/' ),
				)
			),
			true
		);
		if ( is_wp_error( $id ) ) {
			return $id;
		}
		$meta = array(
			'value'         => Redirect_Rules::absolute( $destination ),
			'type'          => (string) $status,
			'logged_status' => 'both',
			'enabled'       => 'yes',
		);
		if ( '' === get_post_meta( $id, '_seopress_redirections_param', true ) ) {
			// Else visitors who come with a query, from a campaign say, are not led on.
			$meta['param'] = 'without_param';
		}
		foreach ( $meta as $name => $value ) {
			update_post_meta( $id, '_seopress_redirections_' . $name, wp_slash( $value ) );
		}
		return $id;
	}

	/**
	 * A post as a redirect; a record of a missing page has no destination yet.
	 *
	 * @param WP_Post $post The post.
	 * @return array
	 */
	private static function read( WP_Post $post ) {
		$enabled = 'yes' === get_post_meta( $post->ID, '_seopress_redirections_enabled', true );
		return self::row(
			$post->ID,
			'/' . trim( $post->post_title, '/' ),
			$enabled ? get_post_meta( $post->ID, '_seopress_redirections_value', true ) : '',
			get_post_meta( $post->ID, '_seopress_redirections_type', true )
		);
	}

	/**
	 * Asks for redirects.
	 *
	 * @param array $args What to ask for.
	 * @return WP_Query
	 */
	private function query( array $args ) {
		$args += array(
			'post_type'              => self::TYPE,
			'post_status'            => 'publish',
			'orderby'                => 'ID',
			'order'                  => 'ASC',
			'update_post_term_cache' => false,
		);
		return new WP_Query( $args );
	}
}
