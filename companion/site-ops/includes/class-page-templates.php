<?php
/**
 * GET /page-templates: the layouts that the theme has for pages, and what each shows around a page's content.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Block_Patterns_Registry;

defined( 'ABSPATH' ) || exit;

/** A theme of blocks tells what a template is made of; of a classic one only the names are known. */
final class Page_Templates {

	/** How deep parts and patterns within each other are looked into. */
	const DEPTH = 6;

	/** Registers the route. */
	public static function register_routes() {
		Routes::read( '/page-templates', array( __CLASS__, 'read' ), array( __CLASS__, 'may' ) );
	}

	/**
	 * Whoever may write pages.
	 *
	 * @return bool
	 */
	public static function may() {
		return Access::has( 'edit_pages' );
	}

	/**
	 * Answers GET.
	 *
	 * @return array
	 */
	public static function read() {
		$rows = array( self::row( '', '' ) );
		foreach ( self::names() as $name => $title ) {
			$rows[] = self::row( (string) $name, (string) $title );
		}
		return array(
			'theme'       => (string) wp_get_theme()->get( 'Name' ),
			'block_theme' => wp_is_block_theme(),
			'templates'   => $rows,
		);
	}

	/**
	 * Refuses a template that the theme does not have for pages.
	 *
	 * @param string|null $name Its name; empty for the theme's own layout, null where none is given.
	 * @return \WP_Error|null
	 */
	private static function fault( $name ) {
		if ( null === $name || '' === $name || array_key_exists( $name, self::names() ) ) {
			return null;
		}
		return Errors::argument( 'template', __( 'template is none of the theme for pages', 'site-ops' ) );
	}

	/**
	 * Refuses code that may not be on a page, and a template that the theme does not have.
	 *
	 * @param \WP_REST_Request $request A request that makes or changes a page from code.
	 * @return \WP_Error|null
	 */
	public static function code_fault( $request ) {
		$refused = Code_Check::fault( $request['html'], $request['css'], $request['js'] );
		return $refused ? $refused : self::fault( $request['template'] );
	}

	/**
	 * The meta of the template that is given; none where none is.
	 *
	 * @param \WP_REST_Request $request The request.
	 * @return array
	 */
	public static function meta( $request ) {
		return null === $request['template'] ? array() : array( '_wp_page_template' => $request['template'] );
	}

	/**
	 * The template of a page; empty for the theme's own layout.
	 *
	 * @param int $id Number of the page.
	 * @return string
	 */
	public static function of( $id ) {
		return (string) get_page_template_slug( $id );
	}

	/**
	 * Titles by name.
	 *
	 * @return string[]
	 */
	private static function names() {
		return wp_get_theme()->get_page_templates( null, 'page' );
	}

	/**
	 * One of them.
	 *
	 * @param string $name  Its name.
	 * @param string $title What people call it.
	 * @return array frame (whether a header or a footer is around the content) and shows_title (as a heading of the first
	 *               level); both null where that is not known.
	 */
	private static function row( $name, $title ) {
		$seen    = array(
			'frame'       => false,
			'shows_title' => false,
		);
		$content = self::content( $name );
		if ( null !== $content ) {
			self::look( parse_blocks( $content ), $seen, self::DEPTH );
		}
		return array(
			'name'        => $name,
			'title'       => $title,
			'frame'       => null === $content ? null : $seen['frame'],
			'shows_title' => null === $content ? null : $seen['shows_title'],
		);
	}

	/**
	 * What a template of blocks is made of; null for one of a classic theme.
	 *
	 * @param string $name Its name.
	 * @return string|null
	 */
	private static function content( $name ) {
		if ( ! wp_is_block_theme() ) {
			return null;
		}
		foreach ( '' === $name ? array( 'page', 'singular', 'index' ) : array( $name ) as $one ) {
			$found = get_block_template( get_stylesheet() . '//' . $one );
			if ( $found ) {
				return $found->content;
			}
		}
		return null;
	}

	/**
	 * Looks at blocks and what they hold; what lists other posts is left out.
	 *
	 * @param array[] $blocks The blocks.
	 * @param bool[]  $seen   What was found so far.
	 * @param int     $depth  How much deeper it may go.
	 */
	private static function look( array $blocks, array &$seen, $depth ) {
		if ( $depth <= 0 ) {
			return;
		}
		foreach ( $blocks as $block ) {
			$name = $block['blockName'];
			if ( 'core/query' === $name ) {
				continue;
			}
			if ( 'core/post-title' === $name && isset( $block['attrs']['level'] ) && 1 === $block['attrs']['level'] ) {
				$seen['shows_title'] = true;
			}
			if ( 'core/template-part' === $name ) {
				$seen['frame'] = true;
			}
			self::look( array_merge( $block['innerBlocks'], parse_blocks( self::within( $block ) ) ), $seen, $depth - 1 );
		}
	}

	/**
	 * What a block stands for that is kept elsewhere: a part of the theme, or a pattern.
	 *
	 * @param array $block The block.
	 * @return string
	 */
	private static function within( array $block ) {
		$slug = isset( $block['attrs']['slug'] ) ? (string) $block['attrs']['slug'] : '';
		if ( '' === $slug ) {
			return '';
		}
		if ( 'core/pattern' === $block['blockName'] ) {
			$pattern = WP_Block_Patterns_Registry::get_instance()->get_registered( $slug );
			return $pattern ? (string) $pattern['content'] : '';
		}
		$part = 'core/template-part' === $block['blockName'] ? get_block_template( get_stylesheet() . '//' . $slug, 'wp_template_part' ) : null;
		return $part ? (string) $part->content : '';
	}
}
