<?php
/**
 * What a held call sends out of the site.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Keeps HTTP requests and mails back while a call is held, and notes what cannot be held. */
final class Hold_Outside {

	/**
	 * What was noted: label, what, and whether the header allowed it by name.
	 *
	 * @var array[]
	 */
	public static $notes = array();

	/**
	 * Mails to be sent once the call is committed.
	 *
	 * @var array[]
	 */
	private static $mails = array();

	/**
	 * Whether the call may read over HTTP.
	 *
	 * @var bool
	 */
	private static $reads = false;

	/**
	 * Begins to keep things back.
	 *
	 * @param bool $reads Whether the call may read over HTTP.
	 */
	public static function start( $reads ) {
		self::$reads = $reads;
		add_filter( 'pre_http_request', array( __CLASS__, 'http' ), PHP_INT_MAX, 3 );
		add_filter( 'pre_wp_mail', array( __CLASS__, 'mail' ), PHP_INT_MAX, 2 );
		foreach ( array_intersect( array( 'http', 'https', 'ftp', 'ftps' ), stream_get_wrappers() ) as $scheme ) {
			stream_wrapper_unregister( $scheme );
		}
	}

	/**
	 * Notes an effect outside the database.
	 *
	 * @param string $label   Its label.
	 * @param string $what    What it is.
	 * @param bool   $granted Whether the header allowed it by name.
	 */
	public static function note( $label, $what, $granted = false ) {
		self::$notes[] = array(
			'label'   => $label,
			'what'    => $what,
			'granted' => $granted,
		);
	}

	/**
	 * Filters `pre_http_request`.
	 *
	 * @param mixed  $pre  What other filters gave.
	 * @param array  $args Arguments of the request.
	 * @param string $url  Its address.
	 * @return mixed
	 */
	public static function http( $pre, $args, $url ) {
		if ( ! Hold::is_held() ) {
			return $pre;
		}
		$method  = strtoupper( isset( $args['method'] ) ? $args['method'] : 'GET' );
		$is_read = in_array( $method, array( 'GET', 'HEAD' ), true );
		$may     = self::$reads && $is_read;
		// A read that is not sent changes nothing anywhere: builders ask their vendor for news during any call.
		self::note( $is_read && ! $may ? 'cache' : 'outbound', $method . ' ' . strtok( $url, '?' ) . ( $may ? '' : ' (not sent)' ), $may );
		return $may ? $pre : new WP_Error( 'site_ops_held', __( 'The call is held: no request leaves the site', 'site-ops' ) );
	}

	/**
	 * Filters `pre_wp_mail`.
	 *
	 * @param mixed $pre  What other filters gave.
	 * @param array $mail The mail.
	 * @return mixed
	 */
	public static function mail( $pre, $mail ) {
		if ( ! Hold::is_held() ) {
			return $pre;
		}
		self::$mails[] = $mail;
		self::note( 'mail', 'Mail to ' . implode( ', ', (array) $mail['to'] ) . ': ' . $mail['subject'] );
		return true;
	}

	/** Sends the mails of a call that was committed. */
	public static function send() {
		foreach ( self::$mails as $mail ) {
			wp_mail( $mail['to'], $mail['subject'], $mail['message'], $mail['headers'], $mail['attachments'] );
		}
		self::$mails = array();
	}
}
