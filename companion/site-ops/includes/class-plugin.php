<?php
/**
 * Ties the parts to WordPress.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** Registers everything the plugin does. */
final class Plugin {

	/** Hooks the parts up; runs once, while plugins load. */
	public static function start() {
		add_action( 'init', array( Code_Pages::class, 'register_meta' ) );
		add_action( 'init', array( Redirects_Own::class, 'register_type' ) );
		add_action( 'init', array( Hold_Receipts::class, 'update' ) );
		add_action( 'wp_scheduled_delete', array( Hold_Receipts::class, 'expire' ) );
		add_action( 'admin_menu', array( Hold_Page::class, 'add' ) );
		add_action( 'rest_api_init', array( __CLASS__, 'register_routes' ) );
		add_action( 'template_redirect', array( Seo_Redirects::class, 'redirect' ), 1 );
		add_filter( 'redirect_canonical', array( Seo_Redirects::class, 'unless_back' ) );
		add_filter( 'old_slug_redirect_url', array( Seo_Redirects::class, 'unless_back' ) );
		add_action( 'plugins_loaded', array( Seo_Output::class, 'start' ) );
		add_action( 'wp_after_insert_post', array( Seo_Sitemap::class, 'saved' ), 10, 4 );
		Caches::start();
		Elsewhere::start();
		Routes::start();
		Code_Output::start();
		Code_Text::start();
		Hold::start();
		if ( class_exists( Updates::class ) ) {
			Updates::start();
		}
	}

	/** Registers the routes of every subject. */
	public static function register_routes() {
		$subjects = array(
			Health::class,
			Seo_Meta::class,
			Seo_Schema::class,
			Seo_Redirects::class,
			Seo_Sitemap::class,
			Schema_Entries::class,
			Code_Pages::class,
			Page_Templates::class,
			Templates::class,
			Builder_Pages::class,
			Guarded::class,
			Stored_Rows::class,
			Hold_Keys::class,
			Hold_Answers::class,
			Hold_Test::class,
			Find::class,
			Listing::class,
			Hold_Restore::class,
		);
		foreach ( $subjects as $subject ) {
			$subject::register_routes();
		}
		Builder_Pages::register_field();
		Post_Parts::register_field();
	}
}
