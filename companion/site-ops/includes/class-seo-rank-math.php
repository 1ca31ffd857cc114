<?php
/**
 * SEO fields kept by Rank Math.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** Post meta rank_math_*. */
final class Seo_Rank_Math extends Seo_Provider {

	/** {@inheritDoc} */
	public function id() {
		return 'rankmath';
	}

	/** {@inheritDoc} */
	public function version() {
		return (string) RANK_MATH_VERSION;
	}

	/** {@inheritDoc} */
	protected function keys() {
		return array(
			'title'               => 'rank_math_title',
			'description'         => 'rank_math_description',
			'focus_keyword'       => 'rank_math_focus_keyword',
			'canonical'           => 'rank_math_canonical_url',
			'og.title'            => 'rank_math_facebook_title',
			'og.description'      => 'rank_math_facebook_description',
			'og.image'            => 'rank_math_facebook_image',
			'twitter.title'       => 'rank_math_twitter_title',
			'twitter.description' => 'rank_math_twitter_description',
			'twitter.image'       => 'rank_math_twitter_image',
		);
	}

	/** The switches in effect: what is stored with a post takes the place of all defaults. */
	protected function read_robots( $id ) {
		$words  = self::in_effect( $id );
		$robots = array();
		foreach ( self::ROBOTS as $name ) {
			$robots[ $name ] = in_array( $name, $words, true );
		}
		return $robots;
	}

	/**
	 * The words of robots that the page shows: the post's own, else those of its type, else those of the site.
	 *
	 * @param int $id Number of the post.
	 * @return string[]
	 */
	private static function in_effect( $id ) {
		$stored = self::words( get_post_meta( $id, 'rank_math_robots', true ) );
		if ( $stored ) {
			return $stored;
		}
		$titles = (array) get_option( 'rank-math-options-titles', array() );
		$type   = 'pt_' . get_post_type( $id );
		$own    = isset( $titles[ $type . '_custom_robots' ] ) ? $titles[ $type . '_custom_robots' ] : 'off';
		if ( in_array( $own, array( 'on', 'true', '1', 1, true ), true ) && isset( $titles[ $type . '_robots' ] ) ) {
			$of_type = self::words( $titles[ $type . '_robots' ] );
			if ( $of_type ) {
				return $of_type;
			}
		}
		return isset( $titles['robots_global'] ) ? self::words( $titles['robots_global'] ) : array();
	}

	/**
	 * A list of words as Rank Math keeps it.
	 *
	 * @param mixed $kept What is kept.
	 * @return string[]
	 */
	private static function words( $kept ) {
		return array_values( array_filter( (array) $kept ) );
	}

	/** {@inheritDoc} */
	protected function write_robots( $id, array $changes ) {
		$robots = self::in_effect( $id );
		foreach ( $changes as $name => $on ) {
			$robots = array_values( array_diff( $robots, array( $name ) ) );
			if ( $on ) {
				$robots[] = $name;
			}
		}
		$robots = array_values( array_diff( $robots, array( 'index' ) ) );
		if ( ! in_array( 'noindex', $robots, true ) ) {
			array_unshift( $robots, 'index' );
		}
		update_post_meta( $id, 'rank_math_robots', $robots );
	}

	/** {@inheritDoc} */
	protected function stored( $id, array $changed ) {
		foreach ( array( 'og.image' => 'rank_math_facebook_image_id', 'twitter.image' => 'rank_math_twitter_image_id' ) as $name => $key ) {
			if ( in_array( $name, $changed, true ) ) {
				delete_post_meta( $id, $key );
			}
		}
		if ( preg_grep( '/^twitter\./', $changed ) ) {
			// Without this Rank Math shows the fields of Open Graph in their place.
			update_post_meta( $id, 'rank_math_twitter_use_facebook', 'off' );
		}
	}

	/** {@inheritDoc} */
	public function sitemap() {
		$on     = in_array( 'sitemap', (array) get_option( 'rank_math_modules', array() ), true );
		$cached = class_exists( '\RankMath\Sitemap\Cache' );
		return self::sitemap_at( '/sitemap_index.xml', array( 'sitemap' => $on ), $cached ? 'kept' : 'none' );
	}

	/** {@inheritDoc} */
	public function rebuild_sitemap() {
		if ( is_callable( array( '\RankMath\Sitemap\Cache', 'invalidate_storage' ) ) ) {
			\RankMath\Sitemap\Cache::invalidate_storage();
		}
	}
}
