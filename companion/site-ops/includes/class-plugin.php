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
		add_action( 'rest_api_init', array( __CLASS__, 'register_routes' ) );
		Code_Output::start();
	}

	/** Registers the routes of every subject. */
	public static function register_routes() {
		Health::register_routes();
		Seo_Meta::register_routes();
		Code_Pages::register_routes();
	}
}
