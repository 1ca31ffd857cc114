<?php
/**
 * Site Ops Companion
 *
 * @package           SiteOps
 * @license           GPL-2.0-or-later
 *
 * @wordpress-plugin
 * Plugin Name:       Site Ops Companion
 * Description:       The site's half of the Site operations gateway: REST routes for SEO fields, redirects, structured data, pages made from code, visual-builder templates, and writes that overwrite nobody's edit. Publishes only what the gateway was allowed to, never deletes.
 * Version:           1.7.0
 * Requires at least: 6.2
 * Requires PHP:      7.4
 * Author:            the Site operations gateway authors
 * License:           GPL-2.0-or-later
 * License URI:       https://www.gnu.org/licenses/gpl-2.0.html
 * Text Domain:       site-ops
 * Update URI:        false
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** The version, as in the header above and in readme.txt. */
const VERSION = '1.7.0';

/** The REST namespace of every route. */
const REST_NAMESPACE = 'site-ops/v1';

spl_autoload_register(
	static function ( $name ) {
		if ( 0 !== strpos( $name, __NAMESPACE__ . '\\' ) ) {
			return;
		}
		$short = strtolower( str_replace( '_', '-', substr( $name, strlen( __NAMESPACE__ ) + 1 ) ) );
		$path  = __DIR__ . '/includes/class-' . $short . '.php';
		if ( is_readable( $path ) ) {
			require $path;
		}
	}
);

Plugin::start();
