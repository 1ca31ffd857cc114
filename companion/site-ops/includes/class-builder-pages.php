<?php
/**
 * POST /builder/pages[/{id}]: pages made from a template of the visual builder.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_REST_Request;
use WP_REST_Response;

defined( 'ABSPATH' ) || exit;

/** Clones a template into a draft page, new or there already. */
final class Builder_Pages {

	/** What the builder keeps ready-made of a page and must make anew. */
	const MADE = array( '_elementor_css', '_elementor_element_cache', '_elementor_page_assets', '_elementor_inline_svg' );

	/** Meta that says whether the builder has the page. */
	const MODE = '_elementor_edit_mode';

	/** Registers the routes. */
	public static function register_routes() {
		Routes::write( '/builder/pages', array( __CLASS__, 'create' ), array( __CLASS__, 'may_create' ), self::args( true ) );
		$args = array( 'id' => Routes::id() ) + self::args( false );
		$path = '/builder/pages/(?P<id>\d+)';
		$may  = array( __CLASS__, 'may_edit' );
		Routes::write( $path, array( __CLASS__, 'update' ), $may, $args );
		$asks    = Drafts::place() + array( 'template_id' => Routes::id() );
		$guarded = array(
			'may'   => $may,
			'asks'  => array( 'id' => Routes::id() ) + $asks,
			'takes' => $args,
			'state' => array( __CLASS__, 'state' ),
			'parts' => array( __CLASS__, 'parts' ),
			'write' => array( __CLASS__, 'update' ),
			'after' => array( __CLASS__, 'stored' ),
		);
		Guarded_Routes::add( $path, $guarded );
		$making = array(
			'may'   => array( __CLASS__, 'may_create' ),
			'asks'  => $asks,
			'takes' => self::args( true ),
			'write' => array( __CLASS__, 'create' ),
			'lock'  => 'pages',
		);
		Guarded_Routes::add( '/builder/pages', $making + $guarded );
	}

	/** Tells of each post and page, where it is edited, whether visitors see its content. */
	public static function register_field() {
		register_rest_field(
			array( 'post', 'page' ),
			'site_ops_builder',
			array(
				'get_callback' => function ( $post ) {
					return self::shows( $post['id'] ) ? 'visual' : 'block';
				},
				'schema'       => array(
					'description' => __( 'Which builder shows it to visitors', 'site-ops' ),
					'type'        => 'string',
					'enum'        => array( 'block', 'visual' ),
					'context'     => array( 'edit' ),
					'readonly'    => true,
				),
			)
		);
	}

	/**
	 * Whoever may write pages.
	 *
	 * @return bool
	 */
	public static function may_create() {
		return Access::has( 'edit_pages' );
	}

	/**
	 * Whoever may edit that page.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return bool|WP_Error
	 */
	public static function may_edit( $request ) {
		return Access::edit( $request['id'], 'page', 'edit_pages' );
	}

	/**
	 * Whether visitors of a page see what the visual builder keeps of it, in place of its content.
	 *
	 * @param int $id Number of the page.
	 * @return bool
	 */
	public static function shows( $id ) {
		return defined( 'ELEMENTOR_VERSION' ) && 'builder' === get_post_meta( $id, self::MODE, true );
	}

	/**
	 * The template asked for, and what stands at the place of a page that is yet to be made.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function state( $request ) {
		$post  = Templates::find( $request['template_id'] );
		$place = is_wp_error( $post ) ? $post : Drafts::place_found( $request );
		return is_wp_error( $place ) ? $place : $place + array( 'template' => Templates::answer( $post ) );
	}

	/**
	 * What a clone takes from its template, and of a page that is there all its parts, else its place.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function parts( $request ) {
		$post  = Templates::find( $request['template_id'] );
		$parts = isset( $request['id'] ) ? Post_Parts::values( get_post( $request['id'] ) ) : Drafts::place_parts( $request );
		if ( is_wp_error( $post ) || is_wp_error( $parts ) ) {
			return is_wp_error( $post ) ? $post : $parts;
		}
		$look = get_post_meta( $post->ID, '_wp_page_template', true );
		return $parts + array( 'builder_template_id' => Json::text( array( Templates::load( $post->ID ), $look ) ) );
	}

	/**
	 * A page as it is stored.
	 *
	 * @param array $page Its number as `id`.
	 * @return array
	 */
	public static function stored( array $page ) {
		$tree = Elements::read( get_post_meta( $page['id'], Templates::DATA, true ) );
		return Drafts::answer( $page['id'] ) + array( 'elements' => null === $tree ? 0 : Elements::count( $tree ) );
	}

	/**
	 * Answers POST /builder/pages: a new draft.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return WP_REST_Response|WP_Error
	 */
	public static function create( $request ) {
		$template = self::filled( $request );
		$columns  = is_wp_error( $template ) ? $template : Drafts::columns( $request );
		if ( is_wp_error( $columns ) ) {
			return $columns;
		}
		$id = Drafts::insert( $columns );
		if ( is_wp_error( $id ) ) {
			return $id;
		}
		$answer = self::store( $id, $template );
		return is_wp_error( $answer ) ? $answer : new WP_REST_Response( $answer, 201 );
	}

	/**
	 * Answers POST /builder/pages/{id}: the page's tree is the template's afterwards.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function update( $request ) {
		$template = self::filled( $request );
		$columns  = is_wp_error( $template ) ? $template : Drafts::columns( $request );
		$post     = Access::post( $request['id'], 'page' );
		$live     = $post ? Access::refuse_live( $post ) : Access::not_found( $request['id'], 'page' );
		if ( $live || is_wp_error( $columns ) ) {
			return $live ? $live : $columns;
		}
		// Also where no column changes: the page's time of change must tell that its tree did.
		$saved = Drafts::update( $post, $columns );
		return is_wp_error( $saved ) ? $saved : self::store( $post->ID, $template );
	}

	/**
	 * The template asked for, with its placeholders replaced and new numbers for its elements.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error id, tree, settings.
	 */
	private static function filled( $request ) {
		$post = Templates::find( $request['template_id'] );
		if ( is_wp_error( $post ) ) {
			return $post;
		}
		$template = Templates::load( $post->ID );
		if ( null === $template ) {
			/* translators: %d: number of a template */
			$said = sprintf( __( 'What is stored of template %d is no list of elements: open and save it in the builder', 'site-ops' ), $post->ID );
			return Errors::make( 'template_data', $said );
		}
		$variables = (array) $request['variables'];
		$missing   = array_values( array_diff( $template['placeholders'], array_map( 'strval', array_keys( $variables ) ) ) );
		if ( $missing ) {
			/* translators: %s: names of placeholders */
			$said = sprintf( __( 'variables has no text for: %s', 'site-ops' ), implode( ', ', $missing ) );
			return Errors::make( 'missing_placeholder', $said, array( 'missing' => $missing ) );
		}
		if ( ! current_user_can( 'unfiltered_html' ) ) {
			$variables = array_map( 'wp_kses_post', $variables );
		}
		$tree = Elements::fill( $template['tree'], $variables );
		Elements::renew( $tree );
		return array(
			'id'       => $post->ID,
			'tree'     => $tree,
			'settings' => Elements::fill( $template['settings'], $variables ),
		);
	}

	/**
	 * Gives a draft the tree: through the builder where it is loaded, which also makes the page's text for searches.
	 *
	 * @param int   $id       Number of the page.
	 * @param array $template What filled() gave.
	 * @return array|WP_Error The answer.
	 */
	private static function store( $id, array $template ) {
		update_post_meta( $id, self::MODE, 'builder' );
		update_post_meta( $id, '_elementor_template_type', 'wp-page' );
		if ( $template['settings'] ) {
			update_post_meta( $id, Templates::SETTINGS, wp_slash( $template['settings'] ) );
		} else {
			delete_post_meta( $id, Templates::SETTINGS );
		}
		if ( ! self::save( $id, $template['tree'] ) ) {
			return Errors::incomplete( $id, __( 'The visual builder did not take the elements', 'site-ops' ) );
		}
		$look = get_post_meta( $template['id'], '_wp_page_template', true );
		if ( is_string( $look ) && 0 === strpos( $look, 'elementor_' ) ) {
			update_post_meta( $id, '_wp_page_template', $look );
		}
		foreach ( self::MADE as $key ) {
			delete_post_meta( $id, $key );
		}
		Code_Pages::forget( $id );
		Caches::post( $id );
		return Drafts::answer( $id ) + array( 'elements' => Elements::count( $template['tree'] ) );
	}

	/**
	 * Stores the tree.
	 *
	 * @param int   $id   Number of the page.
	 * @param array $tree The tree.
	 * @return bool Whether it is there afterwards.
	 */
	private static function save( $id, array $tree ) {
		$document = self::document( $id );
		if ( $document ) {
			$saved = Drafts::keeping(
				get_post_status( $id ),
				static function () use ( $document, $tree ) {
					return $document->save( array( 'elements' => Json::arrays( $tree ) ) );
				}
			);
			if ( false === $saved ) {
				return false;
			}
		} else {
			update_post_meta( $id, '_elementor_version', (string) constant( 'ELEMENTOR_VERSION' ) );
			update_post_meta( $id, Templates::DATA, wp_slash( wp_json_encode( $tree, JSON_PRESERVE_ZERO_FRACTION ) ) );
		}
		$stored = Elements::read( get_post_meta( $id, Templates::DATA, true ) );
		return null !== $stored && Elements::count( $stored ) === Elements::count( $tree );
	}

	/**
	 * The builder's own document of a page; null where the builder is not loaded far enough to have one.
	 *
	 * @param int $id Number of the page.
	 * @return object|null
	 */
	private static function document( $id ) {
		$plugin = class_exists( '\Elementor\Plugin' ) ? \Elementor\Plugin::$instance : null;
		if ( ! is_object( $plugin ) || empty( $plugin->documents ) || ! is_callable( array( $plugin->documents, 'get' ) ) ) {
			return null;
		}
		$document = $plugin->documents->get( $id, false );
		return is_object( $document ) && is_callable( array( $document, 'save' ) ) ? $document : null;
	}

	/**
	 * The schemas of both writes.
	 *
	 * @param bool $making Whether the page is yet to be made.
	 * @return array
	 */
	private static function args( $making ) {
		return Drafts::args( $making ) + array(
			'template_id' => Routes::id(),
			'variables'   => array(
				'type'                 => 'object',
				'default'              => array(),
				'additionalProperties' => array( 'type' => 'string' ),
				// Texts go into the page as they are; who may not write HTML has it taken out later.
				'sanitize_callback'    => null,
			),
		);
	}
}
