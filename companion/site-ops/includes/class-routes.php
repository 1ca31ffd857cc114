<?php
/**
 * One way to register a route.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_Query;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** Registers routes below site-ops/v1; only GET and POST exist. */
final class Routes {

	/** Has rights judged first: WordPress checks arguments before it asks who may, and would tell strangers of them. */
	public static function start() {
		add_filter( 'rest_request_before_callbacks', array( __CLASS__, 'judge_first' ), 10, 3 );
	}

	/**
	 * What a request whose arguments are faulty is answered: whoever may not ask is told only that.
	 *
	 * @param mixed           $response The error of the arguments, if there is one.
	 * @param array           $handler  The route's handler.
	 * @param WP_REST_Request $request  The request.
	 * @return mixed
	 */
	public static function judge_first( $response, $handler, $request ) {
		if ( ! is_wp_error( $response ) || 0 !== strpos( $request->get_route(), '/' . REST_NAMESPACE . '/' ) ) {
			return $response;
		}
		// By its path alone: nothing else of it was checked.
		$asked = clone $request;
		$asked->set_query_params( array() );
		$asked->set_body_params( array() );
		$asked->set_body( '' );
		$may = call_user_func( $handler['permission_callback'], $asked );
		if ( is_wp_error( $may ) ) {
			return $may;
		}
		$text = __( 'Sorry, you are not allowed to do that.', 'site-ops' );
		return $may ? $response : new WP_Error( 'rest_forbidden', $text, array( 'status' => rest_authorization_required_code() ) );
	}

	/**
	 * Registers a route that reads.
	 *
	 * @param string   $path       Path below the namespace.
	 * @param callable $callback   Answers the request.
	 * @param callable $permission Says whether the caller may ask.
	 * @param array    $args       Schemas of the arguments.
	 */
	public static function read( $path, $callback, $permission, array $args = array() ) {
		self::add( 'GET', $path, $callback, $permission, $args );
	}

	/**
	 * Registers a route that writes.
	 *
	 * @param string   $path       Path below the namespace.
	 * @param callable $callback   Answers the request.
	 * @param callable $permission Says whether the caller may ask.
	 * @param array    $args       Schemas of the arguments.
	 */
	public static function write( $path, $callback, $permission, array $args = array() ) {
		self::add( 'POST', $path, $callback, $permission, $args );
	}

	/**
	 * The schema of a record's number in a path.
	 *
	 * @return array
	 */
	public static function id() {
		return array(
			'type'     => 'integer',
			'minimum'  => 1,
			'required' => true,
		);
	}

	/**
	 * The schemas of paging.
	 *
	 * @return array
	 */
	public static function paging() {
		return array(
			'page'     => array(
				'type'    => 'integer',
				'minimum' => 1,
				'default' => 1,
			),
			'per_page' => array(
				'type'    => 'integer',
				'minimum' => 1,
				'maximum' => 100,
				'default' => 20,
			),
		);
	}

	/**
	 * How many rows a query would find without paging; WordPress does not count them past the last page.
	 *
	 * @param WP_Query $query A query of one page, by its `paged`.
	 * @return int
	 */
	public static function total( WP_Query $query ) {
		if ( $query->found_posts > 0 || $query->get( 'paged' ) < 2 ) {
			return (int) $query->found_posts;
		}
		$first = array(
			'paged'          => 1,
			'posts_per_page' => 1,
			'fields'         => 'ids',
		);
		return (int) ( new WP_Query( $first + $query->query ) )->found_posts;
	}

	/**
	 * Registers one method of one path.
	 *
	 * @param string   $method     GET or POST.
	 * @param string   $path       Path below the namespace.
	 * @param callable $callback   Answers the request.
	 * @param callable $permission Says whether the caller may ask.
	 * @param array    $args       Schemas of the arguments.
	 */
	private static function add( $method, $path, $callback, $permission, array $args ) {
		foreach ( $args as $name => $arg ) {
			// A schema means nothing to WordPress unless these two are told to heed it.
			$args[ $name ] = $arg + array(
				'validate_callback' => 'rest_validate_request_arg',
				'sanitize_callback' => 'rest_sanitize_request_arg',
			);
		}
		register_rest_route(
			REST_NAMESPACE,
			$path,
			array(
				'methods'             => $method,
				'callback'            => $callback,
				'permission_callback' => $permission,
				'args'                => $args,
				// The public index then tells that the plugin is there, not what it offers.
				'show_in_index'       => false,
			)
		);
	}
}
