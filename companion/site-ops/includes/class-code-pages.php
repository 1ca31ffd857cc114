<?php
/**
 * POST /code-pages, GET and POST /code-pages/{id}: pages made from HTML, CSS and JavaScript.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_REST_Request;
use WP_REST_Response;

defined( 'ABSPATH' ) || exit;

/**
 * The HTML stands in the page's content, in one HTML block and one element with the scope class; CSS and JavaScript
 * stand in page meta and are put out by Code_Output.
 */
final class Code_Pages {

	const SCOPE = '_site_ops_scope';
	const CSS   = '_site_ops_css';
	const JS    = '_site_ops_js';

	/** Registers the routes. */
	public static function register_routes() {
		Routes::write( '/code-pages', array( __CLASS__, 'create' ), array( __CLASS__, 'may_create' ), self::args( true ) );
		$path = '/code-pages/(?P<id>\d+)';
		$may  = array( __CLASS__, 'may_edit' );
		Routes::read( $path, array( __CLASS__, 'read' ), $may, array( 'id' => Routes::id() ) );
		Routes::write( $path, array( __CLASS__, 'update' ), $may, array( 'id' => Routes::id() ) + self::args( false ) );
		Guarded_Routes::add(
			$path,
			array(
				'may'   => $may,
				'asks'  => array( 'id' => Routes::id() ),
				'takes' => array( 'id' => Routes::id() ) + self::args( false ),
				'state' => array( Stored_Code::class, 'page' ),
				'parts' => array( __CLASS__, 'parts' ),
				'write' => array( __CLASS__, 'update' ),
			)
		);
		Guarded_Routes::add(
			'/code-pages',
			array(
				'may'   => array( __CLASS__, 'may_create' ),
				'asks'  => Drafts::place(),
				'takes' => self::args( true ),
				'state' => array( Drafts::class, 'place_found' ),
				'parts' => array( Drafts::class, 'place_parts' ),
				'write' => array( __CLASS__, 'create' ),
				'after' => array( __CLASS__, 'stored' ),
				'lock'  => 'pages',
			)
		);
	}

	/**
	 * Registers the meta: shown where a page is edited, to nobody else, and written by no route but the plugin's own,
	 * which check what they are given.
	 */
	public static function register_meta() {
		foreach ( array( self::SCOPE, self::CSS, self::JS ) as $key ) {
			register_post_meta(
				'page',
				$key,
				array(
					'type'          => 'string',
					'single'        => true,
					'auth_callback' => '__return_false',
					'show_in_rest'  => array(
						'schema' => array(
							'type'    => 'string',
							'context' => array( 'edit' ),
						),
					),
				)
			);
		}
	}

	/**
	 * Whoever may write pages and unfiltered HTML.
	 *
	 * @return bool
	 */
	public static function may_create() {
		return Access::has( 'edit_pages', 'unfiltered_html' );
	}

	/**
	 * Whoever may edit that page and write unfiltered HTML.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return bool|WP_Error
	 */
	public static function may_edit( $request ) {
		return Access::edit( $request['id'], 'page', 'edit_pages', 'unfiltered_html' );
	}

	/**
	 * Answers POST /code-pages: a new draft.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return WP_REST_Response|WP_Error
	 */
	public static function create( $request ) {
		$columns = Drafts::columns( $request );
		$refused = is_wp_error( $columns ) ? $columns : Page_Templates::code_fault( $request );
		if ( $refused ) {
			return $refused;
		}
		$columns['post_content'] = self::wrap( $request['scope_class'], $request['html'] );
		$id                      = Drafts::insert( $columns );
		if ( is_wp_error( $id ) ) {
			return $id;
		}
		$meta = array(
			self::SCOPE => $request['scope_class'],
			self::CSS   => (string) $request['css'],
			self::JS    => (string) $request['js'],
		) + Page_Templates::meta( $request );
		$lost = self::store( $id, $meta );
		return $lost ? $lost : new WP_REST_Response( self::summary( $id ), 201 );
	}

	/**
	 * Answers GET /code-pages/{id}.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function read( $request ) {
		return self::stored( array( 'id' => $request['id'] ) );
	}

	/**
	 * A page as it is stored.
	 *
	 * @param array $page Its number as `id`.
	 * @return array|WP_Error
	 */
	public static function stored( array $page ) {
		$id    = $page['id'];
		$scope = get_post_meta( $id, self::SCOPE, true );
		if ( ! is_string( $scope ) || '' === $scope ) {
			return self::none( $id );
		}
		return self::summary( $id ) + self::unwrap( $scope, get_post( $id )->post_content ) + array(
			'css'      => (string) get_post_meta( $id, self::CSS, true ),
			'js'       => (string) get_post_meta( $id, self::JS, true ),
			'shown'    => ! Builder_Pages::shows( $id ),
			'template' => Page_Templates::of( $id ),
			'date_gmt' => Access::goes_live( get_post( $id ) ),
		);
	}

	/**
	 * A page's parts, its code piece by piece.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array
	 */
	public static function parts( $request ) {
		$id = $request['id'];
		return Post_Parts::values( get_post( $id ) ) + array(
			'css'   => get_post_meta( $id, self::CSS, true ),
			'js'    => get_post_meta( $id, self::JS, true ),
			'scope' => get_post_meta( $id, self::SCOPE, true ),
		);
	}

	/**
	 * Takes the code from a page whose content is made anew by other means.
	 *
	 * @param int $id Number of the page.
	 */
	public static function forget( $id ) {
		foreach ( array( self::SCOPE, self::CSS, self::JS ) as $key ) {
			delete_post_meta( $id, $key );
		}
	}

	/**
	 * Answers POST /code-pages/{id}: changes the parts given.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function update( $request ) {
		$id      = $request['id'];
		$refused = Page_Templates::code_fault( $request );
		$post    = Access::post( $id, 'page' );
		$scope   = get_post_meta( $id, self::SCOPE, true );
		if ( ! $post || ! is_string( $scope ) || '' === $scope ) {
			return self::none( $id );
		}
		$live = Access::refuse_live( $post );
		if ( $live || $refused ) {
			return $live ? $live : $refused;
		}
		$columns = Drafts::columns( $request );
		if ( is_wp_error( $columns ) ) {
			return $columns;
		}
		if ( null !== $request['html'] ) {
			$columns['post_content'] = self::wrap( $scope, $request['html'] );
		}
		$saved = Drafts::update( $post, $columns );
		if ( is_wp_error( $saved ) ) {
			return $saved;
		}
		$meta = array(
			self::CSS => $request['css'],
			self::JS  => $request['js'],
		);
		$lost = self::store( $id, array_filter( $meta, 'is_string' ) + Page_Templates::meta( $request ) );
		return $lost ? $lost : self::summary( $id );
	}

	/**
	 * The content of a page: the HTML as it is, in one element of that class, in one HTML block.
	 *
	 * @param string $scope The class.
	 * @param string $html  The HTML.
	 * @return string
	 */
	public static function wrap( $scope, $html ) {
		return "<!-- wp:html -->\n<div class=\"{$scope}\">\n{$html}\n</div>\n<!-- /wp:html -->";
	}

	/**
	 * The HTML within; the whole content where somebody has edited the page by other means.
	 *
	 * @param string $scope   The class.
	 * @param string $content The page's content.
	 * @return array html, and whether it stands in the scope.
	 */
	private static function unwrap( $scope, $content ) {
		list( $before, $after ) = explode( "\0", self::wrap( $scope, "\0" ) );
		$scoped                 = strlen( $content ) >= strlen( $before . $after )
			&& 0 === strpos( $content, $before )
			&& substr( $content, -strlen( $after ) ) === $after;
		return array(
			'html'   => $scoped ? substr( $content, strlen( $before ), -strlen( $after ) ) : $content,
			'scoped' => $scoped,
		);
	}

	/**
	 * Stores meta of a page that is there already.
	 *
	 * @param int   $id   Number of the page.
	 * @param array $meta Values by key.
	 * @return WP_Error|null
	 */
	private static function store( $id, array $meta ) {
		foreach ( $meta as $key => $value ) {
			if ( ! Drafts::meta( $id, $key, $value ) ) {
				/* translators: %s: name of a meta key */
				return Errors::incomplete( $id, sprintf( __( '%s could not be stored', 'site-ops' ), $key ) );
			}
		}
		Caches::post( $id );
		return null;
	}

	/**
	 * What every answer about a code page holds.
	 *
	 * @param int $id Number of the page.
	 * @return array
	 */
	private static function summary( $id ) {
		return Drafts::answer( $id ) + array( 'scope_class' => get_post_meta( $id, self::SCOPE, true ) );
	}

	/**
	 * The error of a page that was not made from code.
	 *
	 * @param int $id Number of the page.
	 * @return WP_Error
	 */
	private static function none( $id ) {
		/* translators: %d: number of a page */
		return Errors::make( 'post_not_found', sprintf( __( 'Page %d is not a page made from code', 'site-ops' ), $id ) );
	}

	/**
	 * The schemas of both writes. Sizes are bytes and judged by Code_Check, which has a code of its own for them.
	 *
	 * @param bool $making Whether the page is yet to be made.
	 * @return array
	 */
	private static function args( $making ) {
		$code = array(
			'type'              => 'string',
			// Code is stored as it is: cleaning it would change it.
			'sanitize_callback' => null,
		);
		$args = array(
			'html'     => $code + array( 'required' => $making ),
			'css'      => $code,
			'js'       => $code,
			'template' => array(
				'type'      => 'string',
				'maxLength' => 200,
			),
		);
		if ( ! $making ) {
			return array_intersect_key( Drafts::args( false ), array( 'title' => true ) ) + $args;
		}
		$args['scope_class'] = array(
			'type'     => 'string',
			'pattern'  => '^so-[0-9a-f]{10}$',
			'required' => true,
		);
		return Drafts::args( true ) + $args;
	}
}
