<?php
/**
 * CSS and JavaScript of pages made from code.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** Puts a code page's CSS into its head and its JavaScript into its foot; no other page gets either. */
final class Code_Output {

	/** Hooks the output up. */
	public static function start() {
		add_action( 'wp_head', array( __CLASS__, 'css' ), 100 );
		add_action( 'wp_footer', array( __CLASS__, 'js' ), 100 );
	}

	/** Prints the CSS of the page being shown. */
	public static function css() {
		$css = self::code( Code_Pages::CSS );
		if ( '' !== $css ) {
			// phpcs:ignore WordPress.Security.EscapeOutput.OutputNotEscaped -- escape_css() keeps it inside the element.
			echo '<style id="site-ops-css">' . "\n" . self::escape_css( $css ) . "\n</style>\n";
		}
	}

	/**
	 * Prints the JavaScript of the page being shown. Not through wp_print_inline_script_tag(), which for older themes
	 * wraps it as XML and breaks every a[b[0]]>c in it.
	 */
	public static function js() {
		$js = self::escape_js( self::code( Code_Pages::JS ) );
		if ( '' === $js ) {
			return;
		}
		// What puts nonces on scripts does so by this filter of WordPress's.
		$attributes = apply_filters( 'wp_inline_script_attributes', array( 'id' => 'site-ops-js' ), $js );
		// phpcs:ignore WordPress.Security.EscapeOutput.OutputNotEscaped -- escape_js() keeps it inside the element.
		echo '<script' . wp_sanitize_script_attributes( $attributes ) . ">\n" . $js . "\n</script>\n";
	}

	/**
	 * CSS that cannot leave its element.
	 *
	 * @param string $css Any CSS.
	 * @return string
	 */
	public static function escape_css( $css ) {
		return str_replace( '</', '<\/', $css );
	}

	/**
	 * JavaScript that cannot leave its element: neither end it, nor open a comment that swallows the end.
	 *
	 * @param string $js Any JavaScript.
	 * @return string
	 */
	public static function escape_js( $js ) {
		return str_replace( '<!--', '<\!--', preg_replace( '~</(?=script)~i', '<\/', $js ) );
	}

	/**
	 * One part of the code page being shown; empty on every other page.
	 *
	 * @param string $key Name of the meta.
	 * @return string
	 */
	private static function code( $key ) {
		if ( ! is_singular( 'page' ) ) {
			return '';
		}
		$id = get_queried_object_id();
		if ( ! get_post_meta( $id, Code_Pages::SCOPE, true ) || post_password_required( $id ) ) {
			return '';
		}
		$code = get_post_meta( $id, $key, true );
		return is_string( $code ) ? $code : '';
	}
}
