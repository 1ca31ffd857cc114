<?php
/**
 * Holding a call: running another plugin's tool inside a transaction that it cannot commit.
 *
 * @package SiteOps
 */

namespace SiteOps;

use Throwable;
use WP_REST_Request;
use WP_REST_Server;

defined( 'ABSPATH' ) || exit;

/**
 * A request with the header X-Site-Ops-Hold takes effect only if every row that it changes is of an allowed kind, and is
 * what the preview showed where there was one. A dry run never takes effect.
 */
final class Hold {

	/** How long a tool may run. */
	const RUN_SECONDS = 55;

	/** How many levels of shutdown functions still count. */
	const LEVELS = 3;

	/**
	 * The call.
	 *
	 * @var Hold_Run|null
	 */
	private static $run = null;

	/**
	 * State: plain, running or ended.
	 *
	 * @var string
	 */
	private static $state = 'plain';

	/**
	 * Levels of shutdown functions that were waited for.
	 *
	 * @var int
	 */
	private static $level = 0;

	/** Hooks up where the header is there; runs while plugins load. */
	public static function start() {
		if ( '' === self::header() ) {
			return;
		}
		// What is due by the clock is nothing that the tool does.
		defined( 'DISABLE_WP_CRON' ) || define( 'DISABLE_WP_CRON', true );
		add_filter( 'rest_pre_dispatch', array( __CLASS__, 'begin' ), PHP_INT_MIN, 3 );
		add_action( 'template_redirect', array( __CLASS__, 'refuse_others' ), PHP_INT_MIN );
		add_action( 'admin_init', array( __CLASS__, 'refuse_others' ), PHP_INT_MIN );
	}

	/**
	 * Whether calls can be held on this site.
	 *
	 * @return array engine (innodb, sqlite or null) and why (null or a sentence).
	 */
	public static function support() {
		return Hold_Host::support();
	}

	/**
	 * Whether this request is held now.
	 *
	 * @return bool
	 */
	public static function is_held() {
		return 'running' === self::$state;
	}

	/**
	 * Whether a held call of that id is running, in another request.
	 *
	 * @param string $id Its id.
	 * @return bool
	 */
	public static function running( $id ) {
		return Hold_Host::running( $id );
	}

	/** Only REST calls are held: nothing else runs where the header is there. */
	public static function refuse_others() {
		Hold_Reply::refuse( Errors::make( 'hold_unsupported', __( 'Only calls over REST can be held', 'site-ops' ) ) );
	}

	/**
	 * Begins to hold, before the first dispatch. What cannot be held does not run at all.
	 *
	 * @param mixed           $result  What other filters gave.
	 * @param WP_REST_Server  $server  The server.
	 * @param WP_REST_Request $request The request.
	 * @return mixed
	 */
	public static function begin( $result, $server, $request ) {
		if ( 'plain' !== self::$state ) {
			return $result;
		}
		self::$run = new Hold_Run();
		$error     = self::$run->begin( $request, self::header() );
		if ( is_wp_error( $error ) ) {
			Hold_Reply::refuse( $error );
		}
		self::$state = 'running';
		Hold_Reply::start();
		register_shutdown_function( array( __CLASS__, 'last' ) );
		ignore_user_abort( true );
		set_time_limit( self::RUN_SECONDS );
		self::$run->watch();
		return $result;
	}

	/** Shutdown functions run in the order of their registration, so that ours lets the others go first, some times. */
	public static function last() {
		if ( self::$level < self::LEVELS ) {
			++self::$level;
			register_shutdown_function( array( __CLASS__, 'last' ) );
			return;
		}
		set_time_limit( self::RUN_SECONDS );
		wp_raise_memory_limit( 'site_ops_hold' );
		Hold_Reply::buffer();
		Hold_Cache::reach();
		Hold_Reply::gather();
		try {
			self::$run->finish();
		} catch ( Throwable $error ) {
			self::end();
			echo self::$run->abandon(); // phpcs:ignore WordPress.Security.EscapeOutput -- JSON.
		}
	}

	/** From now on nothing that is done counts, and nothing is written. */
	public static function end() {
		self::$state = 'ended';
	}

	/**
	 * Takes a call back whose end was not reached, because a shutdown function failed.
	 *
	 * @return string What is answered.
	 */
	public static function abandon() {
		return self::is_held() ? self::$run->abandon() : '';
	}

	/**
	 * The value of the header.
	 *
	 * @return string
	 */
	public static function header() {
		// phpcs:ignore WordPress.Security.ValidatedSanitizedInput.InputNotSanitized -- compared and parsed, never shown or stored.
		return isset( $_SERVER['HTTP_X_SITE_OPS_HOLD'] ) ? wp_unslash( $_SERVER['HTTP_X_SITE_OPS_HOLD'] ) : '';
	}
}
