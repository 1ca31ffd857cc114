<?php
/**
 * POST /hold-test and GET /hold-test/{post_id}: the proof that a dry run leaves nothing behind.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** Writes a draft, an option and a file, in a held call only, and tells whether any of them is there. */
final class Hold_Test {

	const TITLE  = 'Site Ops hold test';
	const OPTION = 'site_ops_hold_test';

	/** Registers the routes. */
	public static function register_routes() {
		Routes::write( '/hold-test', array( __CLASS__, 'write' ), array( __CLASS__, 'may' ) );
		Routes::read( '/hold-test/(?P<post_id>\d+)', array( __CLASS__, 'read' ), array( __CLASS__, 'may' ), array( 'post_id' => Routes::id() ) );
	}

	/**
	 * Whoever may write posts.
	 *
	 * @return bool
	 */
	public static function may() {
		return Access::has( 'edit_posts' );
	}

	/**
	 * Answers POST /hold-test.
	 *
	 * @return array|WP_Error
	 */
	public static function write() {
		if ( ! class_exists( Hold::class ) || ! Hold::is_held() ) {
			return Errors::make( 'not_allowed', __( 'The test writes only where it is held', 'site-ops' ) );
		}
		$id = wp_insert_post(
			array(
				'post_title'  => self::TITLE,
				'post_status' => 'draft',
			),
			true
		);
		if ( is_wp_error( $id ) ) {
			return $id;
		}
		update_option( self::OPTION, $id, false );
		$file = wp_upload_bits( self::file_name( $id ), null, self::TITLE );
		return $file['error'] ? Errors::incomplete( $id, $file['error'] ) : array( 'post_id' => $id );
	}

	/**
	 * Answers GET /hold-test/{post_id}: whether anything that the test wrote is there.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array
	 */
	public static function read( $request ) {
		$id = $request['post_id'];
		clean_post_cache( $id );
		Hold_Keys::forget( self::OPTION );
		$post    = get_post( $id );
		$uploads = wp_upload_dir( null, false );
		return array(
			'exists' => ( $post && self::TITLE === $post->post_title )
				|| (int) get_option( self::OPTION ) === $id
				|| file_exists( $uploads['path'] . '/' . self::file_name( $id ) ),
		);
	}

	/**
	 * Name of the file.
	 *
	 * @param int $id Number of the draft.
	 * @return string
	 */
	private static function file_name( $id ) {
		return "site-ops-hold-test-$id.txt";
	}
}
