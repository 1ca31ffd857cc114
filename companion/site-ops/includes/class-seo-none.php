<?php
/**
 * SEO fields of a site without an SEO plugin that is known.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Post;

defined( 'ABSPATH' ) || exit;

/** The plugin's own post meta _site_ops_seo_*; Seo_Output shows them, but not beside an SEO plugin that is not known. */
final class Seo_None extends Seo_Provider {

	const PREFIX = '_site_ops_seo_';

	/** Constants of SEO plugins that show fields of their own, kept where this plugin cannot reach them. */
	const OTHERS = array(
		'AIOSEO_VERSION'            => 'All in One SEO',
		'THE_SEO_FRAMEWORK_VERSION' => 'The SEO Framework',
		'SLIM_SEO_VER'              => 'Slim SEO',
		'SQ_VERSION'                => 'Squirrly SEO',
	);

	/** {@inheritDoc} */
	public function id() {
		return null === self::other() ? 'none' : 'other';
	}

	/** {@inheritDoc} */
	public function version() {
		$other = self::other();
		return null === $other ? null : (string) constant( $other );
	}

	/** An SEO plugin that is not known: the site would show two of each field. */
	public function in_the_way() {
		$other = self::other();
		if ( null === $other ) {
			return null;
		}
		/* translators: %s: name of an SEO plugin */
		$said = __( 'The fields of %s cannot be reached: set them there, or use Yoast SEO, Rank Math or SEOPress', 'site-ops' );
		return Errors::make( 'seo_provider_missing', sprintf( $said, self::OTHERS[ $other ] ) );
	}

	/**
	 * The constant of the first of OTHERS that is active.
	 *
	 * @return string|null
	 */
	private static function other() {
		$active = array_filter( array_keys( self::OTHERS ), 'defined' );
		return $active ? reset( $active ) : null;
	}

	/** {@inheritDoc} */
	protected function keys() {
		$keys = array();
		foreach ( self::TEXTS as $name ) {
			$keys[ $name ] = self::PREFIX . str_replace( '.', '_', $name );
		}
		return $keys;
	}

	/** Its switches have the names of fields behind the prefix. */
	public function row_keys() {
		$keys = parent::row_keys();
		foreach ( self::ROBOTS as $name ) {
			$keys[ self::PREFIX . $name ] = 'robots';
		}
		return $keys;
	}

	/** {@inheritDoc} */
	protected function robots( WP_Post $post ) {
		$robots = array();
		foreach ( self::ROBOTS as $name ) {
			$robots[ $name ] = self::value( '1' === get_post_meta( $post->ID, self::PREFIX . $name, true ) );
		}
		return $robots;
	}

	/** WordPress goes on printing the canonical address. */
	protected function drops_canonical( WP_Post $post ) {
		unset( $post );
		return false;
	}

	/**
	 * A post's own texts; without them WordPress's title and canonical address, which a list of posts has not, and nothing
	 * else (Seo_Output).
	 *
	 * @param WP_Post $post The post.
	 * @return array[]
	 */
	protected function texts( WP_Post $post ) {
		if ( null !== self::other() ) {
			return array();
		}
		$shop  = function_exists( 'wc_get_page_id' ) && wc_get_page_id( 'shop' ) === $post->ID;
		$own   = array();
		$texts = array();
		foreach ( self::SHOWN as $name ) {
			$own[ $name ]   = $this->text( $post->ID, $name );
			$texts[ $name ] = self::first( array( 'post' => self::plain( $own[ $name ] ) ) );
		}
		$list = $shop || 'posts' === self::place( $post );
		$made = array(
			'title'     => self::document_title( $post ),
			'canonical' => $list ? '' : (string) get_permalink( $post ),
		);
		foreach ( $made as $name => $text ) {
			$texts[ $name ] = self::first(
				array(
					'post'    => $texts[ $name ]['value'],
					'default' => $text,
				)
			);
		}
		foreach ( array( 'title', 'description' ) as $name ) {
			$texts[ 'twitter.' . $name ] = self::first(
				array(
					'post' => $texts[ 'twitter.' . $name ]['value'],
					'og'   => $texts[ 'og.' . $name ]['value'],
				)
			);
		}
		// A shop gives the list of its products a title of its own.
		return $shop && '' === $own['title'] ? array_diff_key( $texts, array( 'title' => true ) ) : $texts;
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
