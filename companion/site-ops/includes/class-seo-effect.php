<?php
/**
 * Which SEO values visitors get.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Post;

defined( 'ABSPATH' ) || exit;

/** What decides about the fields of a post beside the post itself; each SEO plugin says it in its own class. */
abstract class Seo_Effect {

	/** The five switches of robots. */
	const ROBOTS = array( 'noindex', 'nofollow', 'noarchive', 'nosnippet', 'noimageindex' );

	/** Fields that are one text each; a dot leads into a group. */
	const TEXTS = array(
		'title',
		'description',
		'focus_keyword',
		'canonical',
		'og.title',
		'og.description',
		'og.image',
		'twitter.title',
		'twitter.description',
		'twitter.image',
	);

	/**
	 * The switches as visitors get them by this plugin's own rules.
	 *
	 * @param WP_Post $post The post.
	 * @return array[] Each of ROBOTS as self::value() gives it.
	 */
	abstract protected function robots( WP_Post $post );

	/**
	 * A switch in effect.
	 *
	 * @param bool        $on    Whether it is on.
	 * @param string      $by    What decides: post (its own value, or nothing), type, site, or state (private, protected).
	 * @param string|null $fixed Why no value of the post's own changes it: type, site, state, off (a part of the SEO
	 *                           plugin is switched off), idle (the plugin is not set up), unsupported; null where one does.
	 * @return array
	 */
	protected static function value( $on, $by = 'post', $fixed = null ) {
		return array(
			'on'    => (bool) $on,
			'by'    => $by,
			'fixed' => $fixed,
		);
	}

	/**
	 * The switches in effect: the plugin's rules, and WordPress's own setting that keeps search engines away.
	 *
	 * @param WP_Post $post The post.
	 * @return array[] Each of ROBOTS as value() gives it.
	 */
	public function in_effect( WP_Post $post ) {
		$robots = $this->robots( $post );
		if ( '0' !== (string) get_option( 'blog_public' ) ) {
			return $robots;
		}
		foreach ( array( 'noindex', 'nofollow' ) as $name ) {
			$own             = $robots[ $name ]['on'] && 'post' === $robots[ $name ]['by'];
			$robots[ $name ] = self::value( true, $own ? 'post' : 'site', 'site' );
		}
		return $robots;
	}

	/**
	 * The fields for which a value of the post's own would not be shown.
	 *
	 * @param WP_Post $post   The post.
	 * @param array   $images Addresses that are to be set, by name as in TEXTS.
	 * @return string[] By name (robots.noindex, og.title): a word as for value(), or library (only images of the library).
	 */
	public function fixed( WP_Post $post, array $images = array() ) {
		$fixed = array();
		foreach ( $this->in_effect( $post ) as $name => $value ) {
			if ( null !== $value['fixed'] ) {
				$fixed[ 'robots.' . $name ] = $value['fixed'];
			}
		}
		$fixed += $this->fixed_texts();
		foreach ( $this->library_only() ? array_intersect_key( $images, $this->image_keys() ) : array() as $name => $url ) {
			if ( '' !== $url && 0 === Seo_Image::attachment( $url ) ) {
				$fixed += array( $name => 'library' );
			}
		}
		return $fixed;
	}

	/**
	 * The texts that are not shown, by name as in TEXTS: off or idle.
	 *
	 * @return string[]
	 */
	protected function fixed_texts() {
		return array();
	}

	/**
	 * Whether of images only those of the site's library are shown.
	 *
	 * @return bool
	 */
	protected function library_only() {
		return false;
	}

	/**
	 * Under which meta key the number of an image of the library lies beside its address, by name as in TEXTS.
	 *
	 * @return string[]
	 */
	protected function image_keys() {
		return array();
	}

	/**
	 * Whether the fields of Open Graph are shown in place of those of Twitter.
	 *
	 * @param int $id Number of the post.
	 * @return bool
	 */
	public function mirrors( $id ) {
		unset( $id );
		return false;
	}
}
