<?php
/**
 * GET and POST /guarded/…: what the plugin's own routes read and write, in parts, and written only while they are as expected.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_Post;
use WP_REST_Request;
use WP_REST_Response;

defined( 'ABSPATH' ) || exit;

/** Puts the guard before a route of the plugin: the route itself does the reading and the writing, with all its checks. */
final class Guarded_Routes {

	/**
	 * Registers the guarded twin of a route.
	 *
	 * @param string $path    Path of the route below the namespace.
	 * @param array  $subject What the route does:
	 *                        may (callable) who may ask and write; asks, takes (schemas) the arguments of GET and POST;
	 *                        state (callable) what a request finds; parts (callable) that as texts by name, or an error;
	 *                        write (callable) the write; where something is made, after (callable) what stands by the
	 *                        write's answer, and lock (string) the name under which one write at a time runs.
	 */
	public static function add( $path, array $subject ) {
		$read  = static function ( $request ) use ( $subject ) {
			return self::read( $subject, $request );
		};
		$write = static function ( $request ) use ( $subject ) {
			return self::write( $subject, $request );
		};
		Routes::read( '/guarded' . $path, $read, $subject['may'], $subject['asks'] );
		Routes::write( '/guarded' . $path, $write, $subject['may'], $subject['takes'] + Guarded_Rules::expected() );
	}

	/**
	 * Answers GET.
	 *
	 * @param array           $subject As add() takes it.
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	private static function read( array $subject, $request ) {
		$state = $subject['state']( $request );
		$parts = is_wp_error( $state ) ? $state : $subject['parts']( $request );
		if ( is_wp_error( $parts ) ) {
			return $parts;
		}
		$post = self::post( $request );
		return array(
			'state'   => $state,
			'parts'   => Guarded_Rules::hashes( $parts ),
			'changed' => $post ? Post_Parts::changed( $post ) : null,
			'editing' => $post ? Post_Parts::editing( $post ) : null,
		);
	}

	/**
	 * Answers POST: writes if every expected part is as expected, else says which are not; nothing is written then.
	 *
	 * @param array           $subject As add() takes it.
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	private static function write( array $subject, $request ) {
		$work = static function () use ( $subject, $request ) {
			return self::compare_and_write( $subject, $request );
		};
		if ( isset( $subject['lock'] ) ) {
			return Row_Lock::alone( $subject['lock'], $work );
		}
		$watched = static function () use ( $request, $work ) {
			$post = self::post( $request );
			$seen = $request['allow_published'] && $post && Access::is_live( $post );
			return Elsewhere::watch( $request['id'], $seen, $work );
		};
		return Row_Lock::hold( $request['id'], $watched );
	}

	/**
	 * What is done under the lock.
	 *
	 * @param array           $subject As add() takes it.
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	private static function compare_and_write( array $subject, $request ) {
		$post  = self::post( $request );
		$parts = isset( $request['id'] ) && ! $post ? Access::not_found( $request['id'] ) : $subject['parts']( $request );
		if ( is_wp_error( $parts ) ) {
			return $parts;
		}
		$refused = Guarded_Rules::differ( Guarded_Rules::hashes( $parts ), $request['expected'], $post );
		$written = $refused ? $refused : $subject['write']( $request );
		if ( is_wp_error( $written ) ) {
			return $written;
		}
		$written = $written instanceof WP_REST_Response ? $written->get_data() : $written;
		$state   = isset( $subject['after'] ) ? $subject['after']( $written ) : $subject['state']( $request );
		return is_wp_error( $state ) ? $state : array(
			'written' => $written,
			'state'   => $state,
		);
	}

	/**
	 * The post a request is about; null for none.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return WP_Post|null
	 */
	private static function post( $request ) {
		$post = isset( $request['id'] ) ? get_post( $request['id'] ) : null;
		return $post instanceof WP_Post ? $post : null;
	}
}
