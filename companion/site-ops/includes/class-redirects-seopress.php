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

	const DESTINATION = '_seopress_redirections_value';
	const ROWS        = array(
		self::DESTINATION,
		'_seopress_redirections_type',
		'_seopress_redirections_logged_status',
		'_seopress_redirections_enabled',
		'_seopress_redirections_param',
	);

	/** How many redirects by pattern are compared. */
	const PATTERNS = 500;

	/** {@inheritDoc} */
	public function id() {
		return 'seopress';
	}

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

	/** An exact redirect, else the newest whose title is a pattern that the path fits. */
	public function match( $path ) {
		$row = $this->find( $path );
		return null === $row || '' === $row['destination'] ? self::by_pattern( $path ) : $row;
	}

	/**
	 * The redirect by pattern that a path fits: patterns know no case, and $1 stands for a part of the path
	 * (checkRegexRedirect() in SEOPress PRO's Redirection.php).
	 *
	 * @param string $path A path as Redirect_Rules::source() gives it.
	 * @return array|null
	 */
	private static function by_pattern( $path ) {
		$query = new WP_Query(
			array(
				'post_type'              => self::TYPE,
				'post_status'            => 'publish',
				'posts_per_page'         => self::PATTERNS,
				'no_found_rows'          => true,
				'update_post_term_cache' => false,
				// phpcs:ignore WordPress.DB.SlowDBQuery -- SEOPress asks for them in this way too.
				'meta_query'             => array(
					array(
						'key'   => '_seopress_redirections_enabled_regex',
						'value' => 'yes',
					),
					array(
						'key'   => '_seopress_redirections_enabled',
						'value' => 'yes',
					),
				),
			)
		);
		$asked = (string) wp_parse_url( Redirect_Rules::address( $path ), PHP_URL_PATH );
		foreach ( $query->posts as $post ) {
			$pattern = '/' . preg_replace( '#(?<!\\\\)/#', '\\/', $post->post_title ) . '/i';
			$visitor = 'only_logged_in' !== get_post_meta( $post->ID, '_seopress_redirections_logged_status', true );
			// phpcs:ignore WordPress.PHP.NoSilencedErrors -- a pattern of somebody else's may be broken.
			if ( $visitor && @preg_match( $pattern, $asked, $found ) ) {
				$row = self::read( $post );
				foreach ( array_slice( $found, 1, null, true ) as $at => $part ) {
					$row['destination'] = str_replace( '$' . $at, $part, $row['destination'] );
				}
				$gone = in_array( $row['status'], array( 410, 451 ), true );
				return self::row( $row['id'], $path, $gone ? '' : $row['destination'], $row['status'] );
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
