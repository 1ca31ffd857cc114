<?php
/**
 * GET /builder/templates[/{id}]: templates of the visual builder.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_Post;
use WP_Query;
use WP_REST_Request;
use WP_REST_Response;

defined( 'ABSPATH' ) || exit;

/** Lists the published templates of the visual builder with their placeholders. */
final class Templates {

	const TYPE     = 'elementor_library';
	const DATA     = '_elementor_data';
	const SETTINGS = '_elementor_page_settings';

	/** Registers the routes. */
	public static function register_routes() {
		$args = Routes::paging() + array( 'search' => array( 'type' => 'string' ) );
		$may  = array( __CLASS__, 'may' );
		Routes::read( '/builder/templates', array( __CLASS__, 'index' ), $may, $args );
		Routes::read( '/builder/templates/(?P<id>\d+)', array( __CLASS__, 'read' ), $may, array( 'id' => Routes::id() ) );
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
	 * Answers GET /builder/templates: a list, its length in X-WP-Total.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return WP_REST_Response|WP_Error
	 */
	public static function index( $request ) {
		$inactive = self::refuse_inactive();
		if ( $inactive ) {
			return $inactive;
		}
		$asked = array(
			'post_type'      => self::TYPE,
			'post_status'    => 'publish',
			'paged'          => $request['page'],
			'posts_per_page' => $request['per_page'],
			'orderby'        => 'ID',
			'order'          => 'ASC',
			// The site's global style is kept as a template too, and is none.
			'meta_query'     => array( // phpcs:ignore WordPress.DB.SlowDBQuery.slow_db_query_meta_query
				'relation' => 'OR',
				array(
					'key'     => '_elementor_template_type',
					'compare' => 'NOT EXISTS',
				),
				array(
					'key'     => '_elementor_template_type',
					'value'   => 'kit',
					'compare' => '!=',
				),
			),
		);
		if ( null !== $request['search'] && '' !== $request['search'] ) {
			$asked['s'] = $request['search'];
		}
		$query    = new WP_Query( $asked );
		$response = new WP_REST_Response( array_map( array( __CLASS__, 'answer' ), $query->posts ) );
		$total    = Routes::total( $query );
		$response->header( 'X-WP-Total', (string) $total );
		$response->header( 'X-WP-TotalPages', (string) ceil( $total / $request['per_page'] ) );
		return $response;
	}

	/**
	 * Answers GET /builder/templates/{id}.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function read( $request ) {
		$post = self::find( $request['id'] );
		return is_wp_error( $post ) ? $post : self::answer( $post );
	}

	/**
	 * A template that may be used.
	 *
	 * @param int $id Its number.
	 * @return WP_Post|WP_Error
	 */
	public static function find( $id ) {
		$inactive = self::refuse_inactive();
		if ( $inactive ) {
			return $inactive;
		}
		$post = get_post( $id );
		$fits = $post && self::TYPE === $post->post_type && 'publish' === $post->post_status
			&& 'kit' !== get_post_meta( $id, '_elementor_template_type', true );
		/* translators: %d: number of a template */
		return $fits ? $post : Errors::make( 'template_not_found', sprintf( __( 'There is no published template %d', 'site-ops' ), $id ) );
	}

	/**
	 * A template's tree and page settings, and the placeholders of both.
	 *
	 * @param int $id Number of the template.
	 * @return array|null tree, settings, placeholders; null where what is stored is no tree.
	 */
	public static function load( $id ) {
		$tree = Elements::read( get_post_meta( $id, self::DATA, true ) );
		if ( null === $tree ) {
			return null;
		}
		$settings = get_post_meta( $id, self::SETTINGS, true );
		$settings = is_array( $settings ) ? $settings : array();
		foreach ( array_keys( $settings ) as $key ) {
			// These would change the page's title and status, not its looks.
			if ( 0 === strpos( (string) $key, 'post_' ) ) {
				unset( $settings[ $key ] );
			}
		}
		$placeholders = Elements::placeholders( array( $tree, $settings ) );
		return compact( 'tree', 'settings', 'placeholders' );
	}

	/**
	 * A template as it is answered.
	 *
	 * @param WP_Post $post The template.
	 * @return array
	 */
	public static function answer( WP_Post $post ) {
		$template = self::load( $post->ID );
		return array(
			'id'           => $post->ID,
			'title'        => $post->post_title,
			'type'         => (string) get_post_meta( $post->ID, '_elementor_template_type', true ),
			'placeholders' => $template ? $template['placeholders'] : array(),
			'elements'     => $template ? Elements::count( $template['tree'] ) : 0,
			'modified_gmt' => Drafts::modified_gmt( $post ),
			'valid'        => null !== $template,
		);
	}

	/**
	 * Refuses where the visual builder is not active.
	 *
	 * @return WP_Error|null
	 */
	private static function refuse_inactive() {
		return defined( 'ELEMENTOR_VERSION' )
			? null
			: Errors::make( 'visual_inactive', __( 'The visual builder (Elementor) is not active on this site', 'site-ops' ) );
	}
}
