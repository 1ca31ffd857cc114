<?php
/**
 * How the texts that visitors get are chosen and made plain.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Post;

defined( 'ABSPATH' ) || exit;

/** Texts of a page, whichever SEO plugin prints them. */
abstract class Seo_Words {

	/**
	 * The part of the site that a page is shown as: front, posts (the page that lists the posts, whose own text nobody sees),
	 * or none of both.
	 *
	 * @param WP_Post $post The post.
	 * @return string Empty for none.
	 */
	public static function place( WP_Post $post ) {
		foreach ( 'page' === get_option( 'show_on_front' ) ? array( 'page_on_front', 'page_for_posts' ) : array() as $option ) {
			if ( (int) get_option( $option ) === $post->ID ) {
				return 'page_on_front' === $option ? 'front' : 'posts';
			}
		}
		return '';
	}

	/**
	 * Nothing that is shown.
	 *
	 * @param string $by Why.
	 * @return array
	 */
	protected static function none( $by ) {
		return array(
			'value' => null,
			'by'    => $by,
		);
	}

	/**
	 * The first text that is not empty, with whose it is: post, type, site, default (of the plugin or WordPress), content
	 * (the post's excerpt or text), or the field that is shown in its place (title, description, og).
	 *
	 * @param string[] $texts By whose they are.
	 * @return array value and by.
	 */
	public static function first( array $texts ) {
		$last = array_key_last( $texts );
		foreach ( $texts as $by => $text ) {
			if ( '' !== $text || $by === $last ) {
				return array(
					'value' => $text,
					'by'    => $by,
				);
			}
		}
		return self::none( 'default' );
	}

	/**
	 * One plain line, as search engines read it.
	 *
	 * @param mixed $text A text, with entities.
	 * @return string
	 */
	public static function plain( $text ) {
		$text = wp_strip_all_tags( is_scalar( $text ) ? (string) $text : '', true );
		return trim( preg_replace( '/\s+/u', ' ', html_entity_decode( $text, ENT_QUOTES, 'UTF-8' ) ) );
	}

	/**
	 * The title that WordPress itself gives a page (wp_get_document_title()).
	 *
	 * @param WP_Post $post The post.
	 * @return string
	 */
	public static function document_title( WP_Post $post ) {
		$separator = apply_filters( 'document_title_separator', '-' ); // phpcs:ignore WordPress.NamingConventions.PrefixAllGlobals
		$name      = get_bloginfo( 'name', 'display' );
		$parts     = 'front' === self::place( $post ) ? array( $name, get_bloginfo( 'description', 'display' ) ) : array( apply_filters( 'single_post_title', $post->post_title, $post ), $name ); // phpcs:ignore WordPress.NamingConventions.PrefixAllGlobals
		return self::plain( wptexturize( implode( " $separator ", array_filter( $parts, 'strlen' ) ) ) );
	}
}
