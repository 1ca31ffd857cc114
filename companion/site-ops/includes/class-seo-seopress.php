<?php
/**
 * SEO fields kept by SEOPress.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** Post meta _seopress_*; a robots switch set to "yes" means "no…". */
final class Seo_Seopress extends Seo_Provider {

	const ROBOTS_KEYS = array(
		'noindex'      => '_seopress_robots_index',
		'nofollow'     => '_seopress_robots_follow',
		'noarchive'    => '_seopress_robots_archive',
		'nosnippet'    => '_seopress_robots_snippet',
		'noimageindex' => '_seopress_robots_imageindex',
	);

	/** {@inheritDoc} */
	public function id() {
		return 'seopress';
	}

	/** {@inheritDoc} */
	public function version() {
		return (string) SEOPRESS_VERSION;
	}

	/** {@inheritDoc} */
	protected function keys() {
		return array(
			'title'               => '_seopress_titles_title',
			'description'         => '_seopress_titles_desc',
			'focus_keyword'       => '_seopress_analysis_target_kw',
			'canonical'           => '_seopress_robots_canonical',
			'og.title'            => '_seopress_social_fb_title',
			'og.description'      => '_seopress_social_fb_desc',
			'og.image'            => '_seopress_social_fb_img',
			'twitter.title'       => '_seopress_social_twitter_title',
			'twitter.description' => '_seopress_social_twitter_desc',
			'twitter.image'       => '_seopress_social_twitter_img',
		);
	}

	/** {@inheritDoc} */
	protected function read_robots( $id ) {
		$robots = array();
		foreach ( self::ROBOTS_KEYS as $name => $key ) {
			$robots[ $name ] = 'yes' === get_post_meta( $id, $key, true );
		}
		return $robots;
	}

	/** {@inheritDoc} */
	protected function write_robots( $id, array $changes ) {
		foreach ( $changes as $name => $on ) {
			if ( $on ) {
				update_post_meta( $id, self::ROBOTS_KEYS[ $name ], 'yes' );
			} else {
				delete_post_meta( $id, self::ROBOTS_KEYS[ $name ] );
			}
		}
	}

	/** {@inheritDoc} */
	protected function stored( $id, array $changed ) {
		foreach ( array( 'og.image' => 'fb', 'twitter.image' => 'twitter' ) as $name => $network ) {
			if ( in_array( $name, $changed, true ) ) {
				delete_post_meta( $id, "_seopress_social_{$network}_img_attachment_id" );
			}
		}
	}

	/** {@inheritDoc} */
	public function sitemap() {
		$toggle  = (array) get_option( 'seopress_toggle', array() );
		$options = (array) get_option( 'seopress_xml_sitemap_option_name', array() );
		$modules = array(
			'toggle-xml-sitemap'                  => ! empty( $toggle['toggle-xml-sitemap'] ),
			'seopress_xml_sitemap_general_enable' => ! empty( $options['seopress_xml_sitemap_general_enable'] ),
		);
		return self::sitemap_at( '/sitemaps.xml', $modules, 'none' );
	}

	/** SEOPress makes its sitemap on each request; what can be stale is the rule that leads there. */
	public function rebuild_sitemap() {
		flush_rewrite_rules( false );
	}
}
