<?php
/**
 * GET and POST /guarded/{posts|pages}/{id} and /guarded/types/{place}/{id}: a post in parts, and a write only while they
 * are what was expected.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_Post;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** Compares and writes in one step. WordPress's own REST route does the writing, with all its checks. */
final class Guarded {

	/** What of the record is answered, as the REST API's own `_fields` takes it. */
	const ANSWERED = 'id,status,link,date,date_gmt,modified_gmt,title.raw,content.raw,excerpt.raw,slug,author,featured_media,' .
		'categories,tags,parent,template,sticky,format,site_ops_builder,meta._elementor_edit_mode,meta._site_ops_scope,meta._site_ops_css,meta._site_ops_js';

	/** The rights told of the caller. */
	const CAPABILITIES = array(
		'edit_posts',
		'edit_pages',
		'edit_others_posts',
		'edit_others_pages',
		'publish_posts',
		'publish_pages',
		'manage_categories',
	);

	/** Registers the routes. */
	public static function register_routes() {
		$may  = array( __CLASS__, 'may' );
		$args = array(
			'id'   => Routes::id(),
			'kind' => array(
				'type'     => 'string',
				'required' => true,
			),
		);
		$live = array(
			'type'    => 'boolean',
			'default' => false,
		);
		// Types of the site's own have a part before them, as their places may be called like routes of this plugin.
		foreach ( array( '/guarded/(?P<kind>posts|pages)', '/guarded/types/(?P<kind>[\w-]{1,80})' ) as $kind ) {
			$path = $kind . '/(?P<id>\d+)';
			Routes::read( $path, array( __CLASS__, 'read' ), $may, $args + array( 'live' => $live ) );
			Routes::write( $path, array( __CLASS__, 'write' ), $may, $args + self::args() );
		}
	}

	/**
	 * Whoever may edit that post or page, in the trash too: a write must tell that it was put there.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return bool|WP_Error
	 */
	public static function may( $request ) {
		$type = Guarded_Types::at( $request['kind'] );
		if ( ! Access::has( $type ? $type->cap->edit_posts : 'edit_posts' ) ) {
			return false;
		}
		return self::post( $request ) ? current_user_can( 'edit_post', $request['id'] ) : self::missing( $request );
	}

	/**
	 * Answers GET.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function read( $request ) {
		clean_post_cache( $request['id'] );
		$post  = self::post( $request );
		$inner = new WP_REST_Request( 'GET', self::route( $request ) );
		$inner->set_query_params( array( 'context' => 'edit' ) );
		$record = self::run( $inner );
		if ( is_wp_error( $record ) || ! $post ) {
			return $post ? $record : self::missing( $request );
		}
		$seo = Seo_Provider::active();
		return self::answer( $post, $record ) + array(
			'terms'       => self::terms( $post ),
			'seo'         => array( 'provider' => $seo->id() ) + $seo->read( $post ),
			'schema'      => Seo_Schema::live( $post->ID ),
			'author'      => Post_Parts::person( (int) $post->post_author ),
			'address'     => self::address( $post ),
			'led'         => $request['live'] ? self::led( $post ) : null,
			'language'    => function_exists( 'pll_get_post_language' ) ? (string) pll_get_post_language( $post->ID ) : null,
			'editing'     => Post_Parts::editing( $post ),
			'revision_of' => Post_Parts::revision_of( $post ),
			'user'        => self::user( $request ),
		);
	}

	/**
	 * Answers POST: writes if every expected part is as expected, else says which are not; nothing is written then.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function write( $request ) {
		$refused = Guarded_Rules::refused( $request['fields'], $request['allow_publish'] );
		if ( $refused ) {
			return $refused;
		}
		return Row_Lock::hold(
			$request['id'],
			static function () use ( $request ) {
				$write = static function () use ( $request ) {
					return self::compare_and_write( $request );
				};
				return Elsewhere::watch( $request['id'], $request['allow_publish'], $write );
			}
		);
	}

	/**
	 * What is done under the lock.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	private static function compare_and_write( $request ) {
		$post = self::post( $request );
		if ( ! $post ) {
			return self::missing( $request );
		}
		$refused = Guarded_Rules::differ( Post_Parts::hashes( $post ), $request['expected'], $post );
		if ( $refused ) {
			return $refused;
		}
		// Whoever changes the state of what is due knows what becomes of it.
		$due = isset( $request['fields']['status'] ) && 'future' === $post->post_status;
		$told = $request['allow_publish'] && Guarded_Rules::revises( $request['fields'], $post );
		if ( 'trash' === $post->post_status || Access::refuse_live( $post, $due || $told ) ) {
			return 'trash' === $post->post_status ? self::missing( $request ) : Access::refuse_live( $post );
		}
		$inner = new WP_REST_Request( 'POST', self::route( $request ) );
		$inner->set_header( 'Content-Type', 'application/json' );
		$inner->set_body( wp_json_encode( $request['fields'] ) );
		$record = self::run( $inner );
		if ( is_wp_error( $record ) ) {
			return $record;
		}
		if ( isset( $request['fields']['template'] ) && '' === get_post_meta( $post->ID, '_wp_page_template', true ) ) {
			delete_post_meta( $post->ID, '_wp_page_template' ); // Where none is set there is no row.
		}
		Caches::post( $post->ID );
		return self::answer( get_post( $post->ID ), $record );
	}

	/**
	 * Has WordPress's own route do it, as the same user.
	 *
	 * @param WP_REST_Request $inner The request.
	 * @return array|WP_Error The record.
	 */
	private static function run( $inner ) {
		$inner->set_query_params( $inner->get_query_params() + array( '_fields' => self::ANSWERED ) );
		$response = rest_do_request( $inner );
		if ( $response->is_error() ) {
			return $response->as_error();
		}
		return rest_filter_response_fields( $response, rest_get_server(), $inner )->get_data();
	}

	/**
	 * The post or page as it is now; null for none.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return WP_Post|null
	 */
	private static function post( $request ) {
		$post = get_post( $request['id'] );
		$type = Guarded_Types::at( $request['kind'] );
		return $type && $post instanceof WP_Post && $post->post_type === $type->name ? $post : null;
	}

	/**
	 * The error of a missing post or page.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return WP_Error
	 */
	private static function missing( $request ) {
		return Access::not_found( $request['id'], 'pages' === $request['kind'] ? 'page' : 'post' );
	}

	/**
	 * WordPress's own route.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return string
	 */
	private static function route( $request ) {
		return '/wp/v2/' . $request['kind'] . '/' . $request['id'];
	}

	/**
	 * What both methods answer.
	 *
	 * @param WP_Post $post   The post as it is now.
	 * @param array   $record As WordPress's own route answers it.
	 * @return array
	 */
	private static function answer( WP_Post $post, array $record ) {
		return array(
			'record'  => $record,
			'parts'   => Post_Parts::hashes( $post ),
			'changed' => Post_Parts::changed( $post ),
		);
	}

	/**
	 * The names of a post's tags and categories, as they are stored.
	 *
	 * @param WP_Post $post The post.
	 * @return array
	 */
	private static function terms( WP_Post $post ) {
		$terms = array();
		foreach ( array(
			'tags'       => 'post_tag',
			'categories' => 'category',
		) as $name => $taxonomy ) {
			$found          = get_the_terms( $post, $taxonomy );
			$terms[ $name ] = array();
			foreach ( is_array( $found ) ? $found : array() as $term ) {
				$terms[ $name ][] = array(
					'id'   => $term->term_id,
					'name' => $term->name,
				);
			}
		}
		return $terms;
	}

	/**
	 * How the address of a post is made once it is public: WordPress's template, and the slug it would have now.
	 *
	 * @param WP_Post $post The post.
	 * @return array
	 */
	private static function address( WP_Post $post ) {
		require_once ABSPATH . 'wp-admin/includes/post.php';
		$sample = get_sample_permalink( $post->ID );
		return array(
			'template' => (string) $sample[0],
			'slug'     => (string) $sample[1],
		);
	}

	/**
	 * Where a redirect leads visitors of the address that a post gets once it is public; null for nowhere.
	 *
	 * @param WP_Post $post The post.
	 * @return array|null destination (empty where visitors are told that nothing is there) and status.
	 */
	private static function led( WP_Post $post ) {
		$address = self::address( $post );
		$store   = Redirect_Store::active();
		$path    = Redirect_Rules::local_path( str_replace( array( '%postname%', '%pagename%' ), $address['slug'], $address['template'] ) );
		$row     = null === $path || is_wp_error( $store ) ? null : $store->resolve( $path );
		return null === $row ? null : array_intersect_key( $row, array_flip( array( 'destination', 'status' ) ) );
	}

	/**
	 * The caller and its rights.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array
	 */
	private static function user( $request ) {
		$user = wp_get_current_user();
		return array(
			'id'           => $user->ID,
			'name'         => $user->display_name,
			'slug'         => $user->user_nicename,
			'roles'        => array_values( $user->roles ),
			'capabilities' => Guarded_Types::rights( Guarded_Types::at( $request['kind'] ), self::CAPABILITIES ),
		);
	}

	/**
	 * The schemas of POST.
	 *
	 * @return array
	 */
	private static function args() {
		return Guarded_Rules::expected() + array(
			'fields'        => array(
				'type'              => 'object',
				'required'          => true,
				// WordPress's own route reads them, from the same JSON.
				'sanitize_callback' => null,
			),
			'allow_publish' => array(
				'type'    => 'boolean',
				'default' => false,
			),
		);
	}
}
