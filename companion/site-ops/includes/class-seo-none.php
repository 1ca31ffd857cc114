<?php
/**
 * SEO fields of a site without an SEO plugin.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** The plugin's own post meta _site_ops_seo_*; Seo_Output shows them. */
final class Seo_None extends Seo_Provider {

	const PREFIX = '_site_ops_seo_';

	/** {@inheritDoc} */
	public function id() {
		return 'none';
	}

	/** {@inheritDoc} */
	public function version() {
		return null;
	}

	/** {@inheritDoc} */
	protected function keys() {
		$keys = array();
		foreach ( self::TEXTS as $name ) {
			$keys[ $name ] = self::PREFIX . str_replace( '.', '_', $name );
		}
		return $keys;
	}

	/** {@inheritDoc} */
	protected function read_robots( $id ) {
		$robots = array();
		foreach ( self::ROBOTS as $name ) {
			$robots[ $name ] = '1' === get_post_meta( $id, self::PREFIX . $name, true );
		}
		return $robots;
	}

	/** {@inheritDoc} */
	protected function write_robots( $id, array $changes ) {
		foreach ( $changes as $name => $on ) {
			if ( $on ) {
				update_post_meta( $id, self::PREFIX . $name, '1' );
			} else {
				delete_post_meta( $id, self::PREFIX . $name );
			}
		}
	}

	/** {@inheritDoc} */
	public function sitemap() {
		$modules = array( 'core_sitemaps' => wp_sitemaps_get_server()->sitemaps_enabled() );
		$url     = get_sitemap_url( 'index' );
		return array( 'url' => $modules['core_sitemaps'] && $url ? $url : null )
			+ self::sitemap_at( '/wp-sitemap.xml', $modules, 'none' );
	}

	/** WordPress makes its sitemap on each request; what can be stale is the rule that leads there. */
	public function rebuild_sitemap() {
		flush_rewrite_rules( false );
	}
}
