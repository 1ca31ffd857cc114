<?php
/**
 * The answers of a held call.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Takes the tool's answer, says whether the tool failed, and sends what the gateway gets. */
final class Hold_Reply {

	/** Errors that end a request. */
	const FATAL = E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_RECOVERABLE_ERROR;

	/** How much of an answer that is not JSON is told. */
	const TEXT_BYTES = 4096;

	/**
	 * Whether the answer was finished as WordPress does it.
	 *
	 * @var bool
	 */
	private static $reached = false;

	/**
	 * What the tool printed.
	 *
	 * @var string
	 */
	private static $text = '';

	/** Begins to take the answer. */
	public static function start() {
		self::buffer();
		remove_action( 'shutdown', 'wp_ob_end_flush_all', 1 );
		add_filter( 'rest_pre_serve_request', array( __CLASS__, 'served' ), PHP_INT_MAX );
		add_filter( 'rest_pre_echo_response', array( __CLASS__, 'echoed' ), PHP_INT_MAX );
	}

	/** Takes what is printed from now on; tools may have ended every buffer that there was. */
	public static function buffer() {
		if ( ! in_array( __CLASS__ . '::take', ob_list_handlers(), true ) ) {
			ob_start( array( __CLASS__, 'take' ) );
		}
	}

	/**
	 * Takes what is printed.
	 *
	 * @param string $text  Text.
	 * @param int    $phase What happens to the buffer.
	 * @return string What is sent.
	 */
	public static function take( $text, $phase ) {
		if ( 0 === ( $phase & PHP_OUTPUT_HANDLER_CLEAN ) ) {
			self::$text .= $text;
		}
		// Called by PHP itself, when everything else has ended: a shutdown function failed, and ours was not reached.
		$by_php = 1 === count( debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS, 2 ) ); // phpcs:ignore WordPress.PHP.DevelopmentFunctions
		return ( $phase & PHP_OUTPUT_HANDLER_FINAL ) && $by_php ? Hold::abandon() : '';
	}

	/**
	 * Filters `rest_pre_serve_request`.
	 *
	 * @param bool $served Whether the answer was sent already.
	 * @return bool
	 */
	public static function served( $served ) {
		self::buffer();
		self::$reached = self::$reached || $served;
		return $served;
	}

	/**
	 * Filters `rest_pre_echo_response`.
	 *
	 * @param mixed $result The answer.
	 * @return mixed
	 */
	public static function echoed( $result ) {
		self::$reached = true;
		return $result;
	}

	/** Ends every buffer, so that all that was printed is known. */
	public static function gather() {
		while ( ob_get_level() > 0 && @ob_end_flush() ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- some cannot be ended.
			continue;
		}
	}

	/**
	 * Why the tool failed.
	 *
	 * @return string|null
	 */
	public static function failure() {
		$error = error_get_last();
		if ( $error && ( $error['type'] & self::FATAL ) ) {
			return __( 'the tool ended in a fatal error', 'site-ops' );
		}
		if ( headers_sent() ) {
			return __( 'the answer was sent before the call had ended', 'site-ops' );
		}
		if ( ! self::$reached ) {
			return __( 'the tool ended the request itself', 'site-ops' );
		}
		if ( http_response_code() >= 400 ) {
			/* translators: %d: HTTP status */
			return sprintf( __( 'the tool answered with status %d', 'site-ops' ), http_response_code() );
		}
		foreach ( self::messages() as $message ) {
			if ( ! empty( $message['error'] ) || ! empty( $message['result']['isError'] ) ) {
				return __( 'the tool answered with an error', 'site-ops' );
			}
		}
		return null;
	}

	/**
	 * The tool's answer.
	 *
	 * @return array status and body.
	 */
	public static function answer() {
		$body = json_decode( self::$text );
		return array(
			'status' => (int) http_response_code(),
			'body'   => null === $body ? substr( self::$text, 0, self::TEXT_BYTES ) : $body,
		);
	}

	/**
	 * Says in a header what became of the call.
	 *
	 * @param string $outcome committed, rolled_back or escaped.
	 * @param string $id      Id of the call.
	 * @param string $digest  Sum of its effects.
	 */
	public static function mark( $outcome, $id, $digest ) {
		if ( ! headers_sent() ) {
			header( "X-Site-Ops-Held: $outcome; id=$id; digest=$digest" );
		}
	}

	/** From now on the tool's answer is what is sent, whatever else is printed, and however the request ends. */
	public static function secure() {
		$line    = wp_get_server_protocol() . ' ' . http_response_code() . ' ' . get_status_header_desc( http_response_code() );
		$headers = headers_list();
		ob_start(
			static function ( $text, $phase ) use ( $line, $headers ) {
				if ( ! ( $phase & PHP_OUTPUT_HANDLER_FINAL ) ) {
					return '';
				}
				if ( ! headers_sent() ) {
					header_remove();
					foreach ( array_merge( array( $line ), $headers ) as $header ) {
						header( $header, false );
					}
				}
				return self::$text;
			}
		);
	}

	/** Sends the tool's answer. */
	public static function pass() {
		ob_end_flush();
	}

	/**
	 * Sends an answer of ours.
	 *
	 * @param int   $status HTTP status.
	 * @param array $body   The answer.
	 */
	public static function send( $status, array $body ) {
		echo self::prepare( $status, $body ); // phpcs:ignore WordPress.Security.EscapeOutput -- JSON.
	}

	/**
	 * Sends the headers of an answer of ours.
	 *
	 * @param int   $status HTTP status.
	 * @param array $body   The answer.
	 * @return string The body.
	 */
	public static function prepare( $status, array $body ) {
		if ( headers_sent() ) {
			// A part of the tool's answer is on its way; without our header nobody takes it for more.
			return '';
		}
		// The whole line: what was set before would win over a number alone.
		header( wp_get_server_protocol() . " $status " . get_status_header_desc( $status ), true, $status );
		header( 'Content-Type: application/json; charset=UTF-8' );
		header_remove( 'Content-Length' );
		return json_encode( $body, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE | JSON_PARTIAL_OUTPUT_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION );
	}

	/**
	 * Refuses a call before it is begun, and ends the request.
	 *
	 * @param WP_Error $error What is wrong.
	 */
	public static function refuse( WP_Error $error ) {
		$data = (array) $error->get_error_data();
		if ( 503 === $data['status'] && ! headers_sent() ) {
			header( 'Retry-After: 5' );
		}
		self::send(
			$data['status'],
			array(
				'code'    => $error->get_error_code(),
				'message' => $error->get_error_message(),
				'data'    => $data,
			)
		);
		exit;
	}

	/**
	 * The JSON objects of the answer: one, several, or those of a stream of events.
	 *
	 * @return array[]
	 */
	private static function messages() {
		$texts = preg_match_all( '/^data: ?(.*)$/m', self::$text, $found ) ? $found[1] : array( self::$text );
		$all   = array();
		foreach ( $texts as $text ) {
			$value = json_decode( $text, true );
			if ( is_array( $value ) ) {
				$all = array_merge( $all, isset( $value[0] ) ? array_filter( $value, 'is_array' ) : array( $value ) );
			}
		}
		return $all;
	}
}
