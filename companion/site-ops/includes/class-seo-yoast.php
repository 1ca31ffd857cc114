<?php
/**
 * SEO fields kept by Yoast SEO.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Post;

defined( 'ABSPATH' ) || exit;

/** Post meta _yoast_wpseo_*; Yoast shows pages from an index of its own, which is built anew after each write. */
final class Seo_Yoast extends Seo_Provider {

	const PREFIX = '_yoast_wpseo_';

	const ROBOTS_ROWS = array( self::PREFIX . 'meta-robots-noindex', self::PREFIX . 'meta-robots-nofollow', self::PREFIX . 'meta-robots-adv' );

	/** The class that keeps the index. */
	const WATCHER = 'Yoast\WP\SEO\Integrations\Watchers\Indexable_Post_Watcher';

	/** {@inheritDoc} */
	public function id() {
		return 'yoast';
	}

	/** {@inheritDoc} */
	public function version() {
		return (string) WPSEO_VERSION;
	}

	/** {@inheritDoc} */
	protected function keys() {
		return array(
			'title'               => self::PREFIX . 'title',
			'description'         => self::PREFIX . 'metadesc',
			'focus_keyword'       => self::PREFIX . 'focuskw',
			'canonical'           => self::PREFIX . 'canonical',
			'og.title'            => self::PREFIX . 'opengraph-title',
			'og.description'      => self::PREFIX . 'opengraph-description',
			'og.image'            => self::PREFIX . 'opengraph-image',
			'twitter.title'       => self::PREFIX . 'twitter-title',
			'twitter.description' => self::PREFIX . 'twitter-description',
			'twitter.image'       => self::PREFIX . 'twitter-image',
		);
	}

	/**
	 * A post's own noindex (1 or 2) goes before the setting of its type; the other switches have no defaults.
	 *
	 * @param WP_Post $post The post.
	 * @return array[]
	 */
	protected function robots( WP_Post $post ) {
		$own      = (string) get_post_meta( $post->ID, self::PREFIX . 'meta-robots-noindex', true );
		$advanced = $this->advanced( $post->ID );
		$robots   = array(
			'noindex'  => in_array( $own, array( '1', '2' ), true ) ? self::value( '1' === $own ) : self::of_type( $post ),
			'nofollow' => self::value( '1' === (string) get_post_meta( $post->ID, self::PREFIX . 'meta-robots-nofollow', true ) ),
		);
		foreach ( array( 'noarchive', 'nosnippet', 'noimageindex' ) as $name ) {
			$robots[ $name ] = self::value( in_array( $name, $advanced, true ) );
		}
		return $robots;
	}

	/**
	 * Whether a post without a noindex of its own is indexed (generate_robots() in Yoast's
	 * indexable-post-type-presentation.php, is_indexable() in its post-type-helper.php, 23.2 and 28.4).
	 *
	 * @param WP_Post $post The post.
	 * @return array
	 */
	private static function of_type( WP_Post $post ) {
		if ( 'private' === $post->post_status ) {
			return self::value( true, 'state' );
		}
		$titles  = (array) get_option( 'wpseo_titles', array() );
		$noindex = ! empty( $titles[ 'noindex-' . $post->post_type ] ) || ! empty( $titles[ 'disable-' . $post->post_type ] );
		return self::value( $noindex, 'type' );
	}

	/** The tags of Open Graph and of Twitter have a switch each (get_all_presenters() in Yoast's front-end-integration.php). */
	protected function fixed_texts() {
		$social = (array) get_option( 'wpseo_social', array() );
		$fixed  = array();
		foreach ( array(
'og'      => 'opengraph',
'twitter' => 'twitter'
) as $group => $switch ) {
			if ( isset( $social[ $switch ] ) && ! $social[ $switch ] ) {
				$fixed += array_fill_keys( preg_grep( "/^$group\\./", self::TEXTS ), 'off' );
			}
		}
		return $fixed;
	}

	/**
	 * What Yoast itself says that a page shows (its surface YoastSEO()->meta); X falls back on the tags of Open Graph where
	 * there are none of its own (generate_twitter_title() in indexable-presentation.php, 28.4).
	 */
	protected function texts( WP_Post $post ) {
		$meta = self::page( $post );
		if ( ! $meta ) {
			return array();
		}
		$titles = (array) get_option( 'wpseo_titles', array() );
		$texts  = array(
			'title'          => array( $meta->title, empty( $titles[ 'title-' . $post->post_type ] ) ? 'default' : 'type' ),
			'description'    => array( $meta->description, empty( $titles[ 'metadesc-' . $post->post_type ] ) ? 'default' : 'type' ),
			'canonical'      => array( $meta->canonical, 'default' ),
			'og.title'       => array( $meta->open_graph_title, 'title' ),
			'og.description' => array( $meta->open_graph_description, '' === (string) $meta->description ? 'content' : 'description' ),
		);
		foreach ( array( 'title', 'description' ) as $name ) {
			$own   = $meta->{'twitter_' . $name};
			$by_og = $meta->open_graph_enabled && '' === (string) $own;

			$texts[ 'twitter.' . $name ] = $by_og ? array( $texts[ 'og.' . $name ][0], 'og' ) : array( $own, $name );
		}
		foreach ( $texts as $name => $text ) {
			$own            = '' !== parent::text( $post->ID, $name ) && 'og' !== $text[1];
			$texts[ $name ] = array(
				'value' => self::plain( $text[0] ),
				'by'    => $own ? 'post' : $text[1],
			);
		}
		return $texts;
	}

	/** {@inheritDoc} */
	protected function filters() {
		return array(
			'title'               => 'wpseo_title',
			'description'         => 'wpseo_metadesc',
			'canonical'           => 'wpseo_canonical',
			'og.title'            => 'wpseo_opengraph_title',
			'og.description'      => 'wpseo_opengraph_desc',
			'twitter.title'       => 'wpseo_twitter_title',
			'twitter.description' => 'wpseo_twitter_description',
		);
	}

	/** {@inheritDoc} */
	protected function own_classes() {
		return 'Yoast\\WP\\';
	}

	/** Yoast itself applies them (title-presenter.php and its like, 28.4). */
	protected function filtered( WP_Post $post, array $texts ) {
		unset( $texts );
		return wp_list_pluck( $this->texts( $post ), 'value' );
	}

	/**
	 * A page as Yoast shows it; what it remembers of this request is forgotten first.
	 *
	 * @param WP_Post $post The post.
	 * @return object|null
	 */
	private static function page( WP_Post $post ) {
		if ( ! function_exists( 'YoastSEO' ) || ! isset( YoastSEO()->meta ) ) {
			return null;
		}
		foreach ( array( 'Meta_Tags_Context_Memoizer', 'Presentation_Memoizer' ) as $name ) {
			$memoizer = 'Yoast\WP\SEO\Memoizers\\' . $name;
			if ( class_exists( $memoizer ) ) {
				YoastSEO()->classes->get( $memoizer )->clear();
			}
		}
		$meta = YoastSEO()->meta->for_post( $post->ID );
		return $meta ? $meta : null;
	}

	/** {@inheritDoc} */
	public function off() {
		$wpseo  = (array) get_option( 'wpseo', array() );
		$social = (array) get_option( 'wpseo_social', array() );
		$off    = array();
		foreach ( array(
'og'      => 'opengraph',
'twitter' => 'twitter'
) as $part => $switch ) {
			if ( isset( $social[ $switch ] ) && ! $social[ $switch ] ) {
				$off[ $part ] = 'Yoast SEO > Settings > Site features > ' . ( 'og' === $part ? 'Open Graph data' : 'X card data' );
			}
		}
		if ( empty( $wpseo['enable_xml_sitemap'] ) ) {
			$off['sitemap'] = 'Yoast SEO > Settings > Site features > XML sitemaps';
		}
		return self::parts_off( $off );
	}

	/** {@inheritDoc} */
	protected function image_keys() {
		return array(
			'og.image'      => self::PREFIX . 'opengraph-image-id',
			'twitter.image' => self::PREFIX . 'twitter-image-id',
		);
	}

	/** {@inheritDoc} */
	protected function write_robots( $id, array $changes ) {
		if ( isset( $changes['noindex'] ) ) {
			// 2 says "index" outright; 0 would leave it to the default of the post type, which may be noindex.
			update_post_meta( $id, self::PREFIX . 'meta-robots-noindex', $changes['noindex'] ? '1' : '2' );
		}
		if ( isset( $changes['nofollow'] ) ) {
			update_post_meta( $id, self::PREFIX . 'meta-robots-nofollow', $changes['nofollow'] ? '1' : '0' );
		}
		$old = $this->advanced( $id );
		$new = $old;
		foreach ( array( 'noarchive', 'nosnippet', 'noimageindex' ) as $name ) {
			if ( isset( $changes[ $name ] ) ) {
				$new = array_diff( $new, array( $name ), $changes[ $name ] ? array( 'none', '-' ) : array() );
				$new = $changes[ $name ] ? array_merge( $new, array( $name ) ) : $new;
			}
		}
		if ( $new === $old ) {
			return;
		}
		if ( $new ) {
			update_post_meta( $id, self::PREFIX . 'meta-robots-adv', implode( ',', $new ) );
		} else {
			delete_post_meta( $id, self::PREFIX . 'meta-robots-adv' );
		}
	}

	/** {@inheritDoc} */
	protected function stored( $id, array $changed ) {
		if ( ! function_exists( 'YoastSEO' ) || ! class_exists( self::WATCHER ) ) {
			return;
		}
		try {
			$watcher = YoastSEO()->classes->get( self::WATCHER );
			if ( is_callable( array( $watcher, 'build_indexable' ) ) ) {
				$watcher->build_indexable( $id );
			}
		} catch ( \Throwable $thrown ) {
			// The fields are stored; Yoast builds its index anew the next time the post is saved.
			do_action( 'site_ops_index_failed', $id, $thrown );
		}
	}

	/**
	 * The further switches that are on.
	 *
	 * @param int $id Number of the post.
	 * @return string[]
	 */
	private function advanced( $id ) {
		$list = (string) get_post_meta( $id, self::PREFIX . 'meta-robots-adv', true );
		return array_values( array_filter( array_map( 'trim', explode( ',', $list ) ) ) );
	}

	/** {@inheritDoc} */
	public function sitemap() {
		$options = (array) get_option( 'wpseo', array() );
		$cached  = class_exists( 'WPSEO_Sitemaps_Cache' ) && apply_filters( 'wpseo_enable_xml_sitemap_transient_caching', false );
		$modules = array( 'xml_sitemap' => ! empty( $options['enable_xml_sitemap'] ) );
		return self::sitemap_at( '/sitemap_index.xml', $modules, $cached ? 'kept' : 'none' );
	}

	/** {@inheritDoc} */
	public function rebuild_sitemap() {
		if ( is_callable( array( 'WPSEO_Sitemaps_Cache', 'clear' ) ) ) {
			\WPSEO_Sitemaps_Cache::clear();
		}
		flush_rewrite_rules( false );
	}
}
