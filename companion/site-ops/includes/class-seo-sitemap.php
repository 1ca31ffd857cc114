<?php
/**
 * GET /seo/sitemap and POST /seo/sitemap/rebuild.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Tells where the sitemap is and what makes it; on request what is kept of it is thrown away. */
final class Seo_Sitemap {

	/** Registers the routes. */
	public static function register_routes() {
		Routes::read( '/seo/sitemap', array( __CLASS__, 'read' ), array( __CLASS__, 'may_read' ) );
		Routes::write( '/seo/sitemap/rebuild', array( __CLASS__, 'rebuild' ), array( __CLASS__, 'may_rebuild' ) );
	}

	/**
	 * Has the sitemap learn of a post that visitors see, or saw until now, whoever saved it; in the admin area and for cron
	 * SEO plugins see to that themselves.
	 *
	 * @param int           $id     Number of the post.
	 * @param \WP_Post      $post   The post.
	 * @param bool          $update Whether it was there before.
	 * @param \WP_Post|null $before As it was before.
	 */
	public static function saved( $id, $post, $update, $before ) {
		unset( $id, $update );
		if ( ! is_admin() && ( 'publish' === $post->post_status || ( $before && 'publish' === $before->post_status ) ) ) {
			Seo_Provider::active()->listed( $post );
		}
	}

	/**
	 * Whoever may write posts.
	 *
	 * @return bool
	 */
	public static function may_read() {
		return Access::has( 'edit_posts' );
	}

	/**
	 * Whoever may change settings.
	 *
	 * @return bool
	 */
	public static function may_rebuild() {
		return Access::has( 'manage_options' );
	}

	/**
	 * Answers GET. An SEO plugin that is not known turns WordPress's sitemap off for one of its own.
	 *
	 * @return array|WP_Error
	 */
	public static function read() {
		$provider = Seo_Provider::active();
		$sitemap  = $provider->sitemap();
		if ( 'other' === $provider->id() && ! $sitemap['enabled'] ) {
			$said = __( 'WordPress makes no sitemap on this site, and what its SEO plugin makes cannot be read', 'site-ops' );
			return Errors::make( 'seo_provider_missing', $said );
		}
		return array( 'provider' => $provider->id() ) + $sitemap + array( 'off' => $provider->off() );
	}

	/**
	 * Answers POST.
	 *
	 * @return array|WP_Error
	 */
	public static function rebuild() {
		$provider = Seo_Provider::active();
		$sitemap  = self::read();
		if ( is_wp_error( $sitemap ) ) {
			return $sitemap;
		}
		if ( ! $sitemap['enabled'] ) {
			$said = __( 'Nothing makes a sitemap on this site: turn the sitemap of the SEO plugin on, or let search engines in', 'site-ops' );
			return Errors::make( 'seo_provider_missing', $said );
		}
		$provider->rebuild_sitemap();
		return array( 'invalidated' => true );
	}
}
