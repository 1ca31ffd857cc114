<?php
/**
 * The HTML of pages made from code, on its way to visitors.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Post;

defined( 'ABSPATH' ) || exit;

/** Keeps WordPress from rewriting a code page's HTML while it shows it; shortcodes go on working. */
final class Code_Text {

	/** Hooks it up. */
	public static function start() {
		add_action( 'wp', array( __CLASS__, 'leave_alone' ) );
		add_filter( 'content_pagination', array( __CLASS__, 'whole' ), PHP_INT_MAX, 2 );
	}

	/**
	 * Where the page being shown is one, turns off what makes other text of text: curly quotes and dashes, smilies,
	 * players in the place of addresses. Paragraphs are not made of blocks, and may be of what else stands on the page.
	 */
	public static function leave_alone() {
		if ( ! is_singular( 'page' ) || ! self::is_code( get_queried_object_id() ) ) {
			return;
		}
		add_filter( 'run_wptexturize', '__return_false', PHP_INT_MAX );
		// It asks that filter once a request, and may have done so already.
		wptexturize( 'x', true );
		add_filter( 'pre_option_use_smilies', '__return_zero' );
		remove_filter( 'the_content', 'capital_P_dangit', 11 );
		remove_filter( 'the_content', array( $GLOBALS['wp_embed'], 'autoembed' ), 8 );
	}

	/**
	 * The content in one part, however many comments in it would end one.
	 *
	 * @param string[] $parts The parts WordPress made of it.
	 * @param WP_Post  $post  The post.
	 * @return string[]
	 */
	public static function whole( $parts, $post ) {
		return self::is_code( $post->ID ) ? array( self::guarded( $post->post_content ) ) : $parts;
	}

	/**
	 * Content without what WordPress finds by text search, wherever it stands: comments that cut, and ]]> in scripts,
	 * which it writes as XML does.
	 *
	 * @param string $content The content.
	 * @return string
	 */
	private static function guarded( $content ) {
		$content = preg_replace( '/<!--(?=(?:more|noteaser|nextpage)\b)/', '<!-- ', $content );
		// In parts that each begin with a tag of a script: searched for from tag to end, tags without an end took half a minute.
		$parts = preg_split( '~(?=</?script\b)~i', $content );
		foreach ( $parts as $at => $part ) {
			if ( 0 === stripos( $part, '<script' ) ) {
				$parts[ $at ] = str_replace( ']]>', ']] >', $part );
			}
		}
		return implode( '', $parts );
	}

	/**
	 * Whether a post shows HTML of the gateway's.
	 *
	 * @param int $id Number of the post.
	 * @return bool
	 */
	private static function is_code( $id ) {
		return (bool) get_post_meta( $id, Code_Pages::SCOPE, true ) && ! Builder_Pages::shows( $id );
	}
}
