<?php
/**
 * What SEO fields and structured data look like in a page.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/**
 * Shows the fields of Seo_None where no SEO plugin does, and the structured data of Seo_Schema_Own wherever there is
 * some; only on the very post they belong to.
 */
final class Seo_Output {

	/** Hooks the output up. */
	public static function start() {
		add_action( 'wp_head', array( __CLASS__, 'schema' ), 20 );
		if ( 'none' !== Seo_Provider::active()->id() ) {
			return;
		}
		add_filter( 'pre_get_document_title', array( __CLASS__, 'title' ), 20 );
		add_filter( 'wp_robots', array( __CLASS__, 'robots' ), 20 );
		add_filter( 'get_canonical_url', array( __CLASS__, 'canonical' ), 20, 2 );
		add_filter( 'wp_sitemaps_posts_query_args', array( __CLASS__, 'sitemap_query' ) );
		add_action( 'wp_head', array( __CLASS__, 'tags' ), 1 );
	}

	/**
	 * The title of the document; WordPress prints it as it comes.
	 *
	 * @param string $title The title so far.
	 * @return string
	 */
	public static function title( $title ) {
		$own = self::field( 'title' );
		return '' === $own ? $title : esc_html( $own );
	}

	/**
	 * The robots switches that are on.
	 *
	 * @param array $robots Directives so far.
	 * @return array
	 */
	public static function robots( $robots ) {
		foreach ( Seo_Provider::ROBOTS as $name ) {
			if ( '1' === self::field( $name ) ) {
				$robots[ $name ] = true;
			}
		}
		return $robots;
	}

	/**
	 * The canonical address of a post.
	 *
	 * @param string   $url  The address so far.
	 * @param \WP_Post $post The post.
	 * @return string
	 */
	public static function canonical( $url, $post ) {
		$own = get_post_meta( $post->ID, Seo_None::PREFIX . 'canonical', true );
		return is_string( $own ) && '' !== $own ? $own : $url;
	}

	/**
	 * Keeps posts that are not to be indexed out of the sitemap.
	 *
	 * @param array $args Arguments of the query.
	 * @return array
	 */
	public static function sitemap_query( $args ) {
		$args['meta_query'][] = array( // phpcs:ignore WordPress.DB.SlowDBQuery.slow_db_query_meta_query
			'key'     => Seo_None::PREFIX . 'noindex',
			'compare' => 'NOT EXISTS',
		);
		return $args;
	}

	/** Prints description, Open Graph and Twitter tags, and the canonical address where WordPress prints none. */
	public static function tags() {
		$canonical = is_singular() || is_paged() ? '' : self::field( 'canonical' );
		if ( '' !== $canonical ) {
			printf( "<link rel=\"canonical\" href=\"%s\" />\n", esc_url( $canonical ) );
		}
		self::tag( 'name', 'description', self::field( 'description' ) );
		foreach ( array( 'title', 'description', 'image' ) as $part ) {
			self::tag( 'property', 'og:' . $part, self::field( 'og_' . $part ) );
		}
		$image = self::field( 'twitter_image' );
		if ( '' !== $image . self::field( 'twitter_title' ) . self::field( 'twitter_description' ) ) {
			self::tag( 'name', 'twitter:card', '' === $image ? 'summary' : 'summary_large_image' );
		}
		foreach ( array( 'title', 'description', 'image' ) as $part ) {
			self::tag( 'name', 'twitter:' . $part, self::field( 'twitter_' . $part ) );
		}
	}

	/** Prints the structured data of the post being shown. */
	public static function schema() {
		$id = self::shown();
		if ( 0 === $id || post_password_required( $id ) ) {
			return;
		}
		$flags = JSON_HEX_TAG | JSON_HEX_AMP | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION;
		foreach ( ( new Seo_Schema_Own() )->entries( $id ) as $entry ) {
			// phpcs:ignore WordPress.Security.EscapeOutput.OutputNotEscaped -- JSON_HEX_TAG leaves no tag in it.
			echo '<script type="application/ld+json" class="site-ops-schema">' . wp_json_encode( $entry['schema'], $flags ) . "</script>\n";
		}
	}

	/**
	 * Prints a meta tag unless it is empty.
	 *
	 * @param string $kind  name or property.
	 * @param string $name  Its name.
	 * @param string $value Its content.
	 */
	private static function tag( $kind, $name, $value ) {
		if ( '' !== $value ) {
			printf( "<meta %s=\"%s\" content=\"%s\" />\n", esc_attr( $kind ), esc_attr( $name ), esc_attr( $value ) );
		}
	}

	/**
	 * A field of the post being shown; empty where there is none.
	 *
	 * @param string $name Name of the field, without the prefix of its meta key.
	 * @return string
	 */
	private static function field( $name ) {
		$id    = self::shown();
		$value = 0 === $id ? '' : get_post_meta( $id, Seo_None::PREFIX . $name, true );
		return is_string( $value ) ? $value : '';
	}

	/**
	 * The post being shown, the pages that list the posts and a shop's products among them; 0 for none.
	 *
	 * @return int
	 */
	private static function shown() {
		if ( function_exists( 'wc_get_page_id' ) && is_shop() && ! is_search() ) {
			return max( 0, wc_get_page_id( 'shop' ) );
		}
		return is_singular() || ( is_home() && ! is_front_page() ) ? get_queried_object_id() : 0;
	}
}
