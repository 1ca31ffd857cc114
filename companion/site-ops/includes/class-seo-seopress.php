<?php
/**
 * SEO fields kept by SEOPress.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Post;

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

	const ROBOTS_ROWS = self::ROBOTS_KEYS;

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

	/**
	 * The site's and the type's settings go before a post's own value (seopress_titles_noindex_bypass() and its like in
	 * SEOPress's options-titles-metas.php, 9.7.4); it prints no noarchive, and no noimageindex for the page that lists the
	 * posts.
	 *
	 * @param WP_Post $post The post.
	 * @return array[]
	 */
	protected function robots( WP_Post $post ) {
		$robots = array();
		$lacks  = 'posts' === self::place( $post ) ? array( 'noarchive', 'noimageindex' ) : array( 'noarchive' );
		foreach ( self::ROBOTS_KEYS as $name => $key ) {
			$by = self::decides( $name, $post );
			if ( ! self::is_on( 'titles' ) || in_array( $name, $lacks, true ) ) {
				$robots[ $name ] = self::value( false, 'post', in_array( $name, $lacks, true ) ? 'unsupported' : 'off' );
			} elseif ( null === $by ) {
				$robots[ $name ] = self::value( 'yes' === get_post_meta( $post->ID, $key, true ) );
			} else {
				$robots[ $name ] = self::value( true, $by, $by );
			}
		}
		return $robots;
	}

	/**
	 * What turns a switch on whatever the post itself says.
	 *
	 * @param string  $name Name of the switch.
	 * @param WP_Post $post The post.
	 * @return string|null state, site or type; null for nothing.
	 */
	private static function decides( $name, WP_Post $post ) {
		$lists  = 'posts' === self::place( $post );
		$titles = (array) get_option( 'seopress_titles_option_name', array() );
		$types  = isset( $titles['seopress_titles_single_titles'] ) ? (array) $titles['seopress_titles_single_titles'] : array();
		if ( 'noindex' === $name && '' !== $post->post_password && ! $lists ) {
			return 'state';
		}
		if ( ! empty( $titles[ 'seopress_titles_' . $name ] ) ) {
			return 'site';
		}
		$of_type = ! $lists && in_array( $name, array( 'noindex', 'nofollow' ), true ) && ! empty( $types[ $post->post_type ][ $name ] );
		return $of_type ? 'type' : null;
	}

	/**
	 * Whether a part of SEOPress is switched on.
	 *
	 * @param string $part titles or social.
	 * @return bool
	 */
	private static function is_on( $part ) {
		$toggle = (array) get_option( 'seopress_toggle', array() );
		return ! empty( $toggle[ 'toggle-' . $part ] );
	}

	/** {@inheritDoc} */
	protected function fixed_texts() {
		$social = self::is_on( 'social' ) ? (array) get_option( 'seopress_social_option_name', array() ) : array();
		$fixed  = self::is_on( 'titles' ) ? array() : array_fill_keys( array( 'title', 'description', 'canonical' ), 'off' );
		foreach ( array(
'og'      => 'seopress_social_facebook_og',
'twitter' => 'seopress_social_twitter_card'
) as $group => $switch ) {
			if ( empty( $social[ $switch ] ) ) {
				$fixed += array_fill_keys( preg_grep( "/^$group\\./", self::TEXTS ), 'off' );
			}
		}
		return $fixed;
	}

	/** What it does with them is in options-titles-metas.php (9.7.4); it has none of its own. */
	protected function filters() {
		return array(
			'title'       => 'seopress_titles_title',
			'description' => 'seopress_titles_desc',
		);
	}

	/** Beside WordPress's own noindex SEOPress goes on printing the canonical address. */
	protected function drops_canonical( WP_Post $post ) {
		return $this->robots( $post )['noindex']['on'];
	}

	/** {@inheritDoc} */
	protected function texts( WP_Post $post ) {
		$own = array();
		foreach ( self::SHOWN as $name ) {
			$own[ $name ] = parent::text( $post->ID, $name );
		}
		return Seo_Seopress_Texts::of( $post, $own, self::is_on( 'titles' ) );
	}

	/** {@inheritDoc} */
	public function off() {
		$social   = (array) get_option( 'seopress_social_option_name', array() );
		$sitemaps = (array) get_option( 'seopress_xml_sitemap_option_name', array() );
		$off      = self::is_on( 'titles' ) ? array() : array( 'title' => 'SEO > Titles & Metas: the switch at the top' );
		foreach ( array(
'og'      => array( 'seopress_social_facebook_og', 'Facebook (Open Graph)' ),
'twitter' => array( 'seopress_social_twitter_card', 'Twitter (Twitter card)' )
) as $part => $switch ) {
			if ( ! self::is_on( 'social' ) ) {
				$off[ $part ] = 'SEO > Social Networks: the switch at the top';
			} elseif ( empty( $social[ $switch[0] ] ) ) {
				$off[ $part ] = 'SEO > Social Networks > ' . $switch[1];
			}
		}
		if ( ! self::is_on( 'xml-sitemap' ) || empty( $sitemaps['seopress_xml_sitemap_general_enable'] ) ) {
			$off['sitemap'] = 'SEO > XML - HTML Sitemap: the switch at the top, and "Enable XML Sitemap"';
		}
		return self::parts_off( $off );
	}

	/** {@inheritDoc} */
	protected function image_keys() {
		return array(
			'og.image'      => '_seopress_social_fb_img_attachment_id',
			'twitter.image' => '_seopress_social_twitter_img_attachment_id',
		);
	}

	/** Without an address SEOPress does not ask for the number. */
	protected function text( $id, $name ) {
		return '' === get_post_meta( $id, $this->keys()[ $name ], true ) ? '' : parent::text( $id, $name );
	}

	/** What the editor notes of an image goes with the image. */
	public function row_keys() {
		$keys = parent::row_keys();
		foreach ( array(
'fb'      => 'og.image',
'twitter' => 'twitter.image'
) as $network => $of ) {
			$keys[ "_seopress_social_{$network}_img_width" ]  = $of;
			$keys[ "_seopress_social_{$network}_img_height" ] = $of;
		}
		return $keys;
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

	/** What the editor notes of an image beside its number belongs to the image that was there. */
	protected function stored( $id, array $changed ) {
		foreach ( array(
'og.image'      => 'fb',
'twitter.image' => 'twitter'
) as $name => $network ) {
			if ( in_array( $name, $changed, true ) ) {
				delete_post_meta( $id, "_seopress_social_{$network}_img_width" );
				delete_post_meta( $id, "_seopress_social_{$network}_img_height" );
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
