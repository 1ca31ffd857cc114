<?php
/**
 * GET and POST /seo/redirects, and the redirecting itself.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** Lists, adds and changes redirects; takes none away. */
final class Seo_Redirects {

	/** Registers the routes. */
	public static function register_routes() {
		$text = array(
			'type'              => 'string',
			'minLength'         => 1,
			// A path is judged as it was sent: cleaning could make a good one of a bad one.
			'sanitize_callback' => null,
		);
		$may  = array( __CLASS__, 'may' );
		Routes::read( '/seo/redirects', array( __CLASS__, 'read' ), $may, array( 'source' => $text ) + Routes::paging() );
		$args = array(
			'source'      => $text + array( 'required' => true ),
			'destination' => $text + array( 'required' => true ),
			'status'      => array(
				'type'    => 'integer',
				'enum'    => array( 301, 302, 307, 308 ),
				'default' => 301,
			),
		);
		Routes::write( '/seo/redirects', array( __CLASS__, 'write' ), $may, $args );
		Guarded_Routes::add(
			'/seo/redirects',
			array(
				'may'   => $may,
				'asks'  => $args,
				'takes' => $args,
				'state' => array( __CLASS__, 'state' ),
				'parts' => array( __CLASS__, 'parts' ),
				'write' => array( __CLASS__, 'write' ),
				'after' => array( __CLASS__, 'after' ),
				'lock'  => 'redirects',
			)
		);
		Stored_Redirects::register_route();
	}

	/**
	 * Whoever may change settings.
	 *
	 * @return bool
	 */
	public static function may() {
		return Access::has( 'manage_options' );
	}

	/**
	 * Answers GET: all redirects by the page, or the one from a source.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function read( $request ) {
		$store = Redirect_Store::active();
		if ( is_wp_error( $store ) ) {
			return $store;
		}
		if ( null === $request['source'] ) {
			$found = $store->page( $request['page'], $request['per_page'] );
			return array(
				'redirects' => $found['rows'],
				'total'     => $found['total'],
				'statuses'  => $store::STATUSES,
			);
		}
		$source = Redirect_Rules::source( $request['source'] );
		if ( is_wp_error( $source ) ) {
			return $source;
		}
		$rows   = array_filter( array( $store->in_force( $source ) ) );
		$hides  = self::seen_at( $source );
		$answer = array(
			'redirects' => $rows,
			'total'     => count( $rows ),
			'statuses'  => $store::STATUSES,
			'resolves'  => $store->resolve( $source ),
			'provider'  => $store->id(),
		);
		return $hides ? $answer + array( 'hides' => $hides ) : $answer;
	}

	/**
	 * What there is at a source, and the redirects that follow from the destination on.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function state( $request ) {
		$found = self::read( $request );
		$store = Redirect_Store::active();
		if ( is_wp_error( $found ) || is_wp_error( $store ) ) {
			return is_wp_error( $found ) ? $found : $store;
		}
		return $found + array(
			'follow' => $store->follow( $request['destination'] ),
			'stored' => Stored_Redirects::told( $request['source'] ),
		);
	}

	/**
	 * What a redirect takes the place of.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function parts( $request ) {
		$found = self::read( $request );
		if ( is_wp_error( $found ) ) {
			return $found;
		}
		$row = $found['redirects'] ? $found['redirects'][0] : array(
			'destination' => '',
			'status'      => '',
		);
		return array(
			'destination' => $row['destination'],
			'status'      => $row['status'],
			'hides'       => isset( $found['hides'] ) ? $found['hides']['id'] : '',
			'provider'    => $found['provider'],
		) + Stored_Redirects::parts( $request['source'] );
	}

	/**
	 * What stands after a write.
	 *
	 * @param array $written What the write answered.
	 * @return array|WP_Error
	 */
	public static function after( array $written ) {
		$store = Redirect_Store::active();
		return is_wp_error( $store ) ? $store : array(
			'redirects' => array_filter( array( $store->in_force( $written['source'] ) ) ),
			'resolves'  => $store->resolve( $written['source'] ),
			'stored'    => Stored_Redirects::told( $written['source'] ),
		);
	}

	/**
	 * Answers POST: the redirect from that source is there afterwards and leads where was said.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function write( $request ) {
		$source      = Redirect_Rules::source( $request['source'] );
		$destination = Redirect_Rules::destination( $request['destination'] );
		$store       = Redirect_Store::active();
		foreach ( array( $source, $destination, $store ) as $part ) {
			if ( is_wp_error( $part ) ) {
				return $part;
			}
		}
		$loop = Redirect_Rules::loop( $source, $destination, $store );
		if ( $loop ) {
			return $loop;
		}
		$found = $store->find( $source );
		$id    = $store->save( $found, $source, $destination, $request['status'] );
		if ( is_wp_error( $id ) ) {
			return $id;
		}
		$page = self::post_at( $source );
		if ( 0 !== $page ) {
			// Where a page has stood until now, a page cache would go on showing it.
			Caches::post( $page );
		} else {
			Caches::address( $source );
		}
		return array(
			'id'          => $id,
			'created'     => ! $found || '' === $found['destination'],
			'source'      => $source,
			'destination' => $destination,
			'status'      => $request['status'],
		);
	}

	/**
	 * Sends the visitor on where one of the plugin's own redirects fits the request, also beside an SEO plugin that has
	 * redirects of its own since; where one of those fits too, it goes first.
	 */
	public static function redirect() {
		$method = isset( $_SERVER['REQUEST_METHOD'] ) ? $_SERVER['REQUEST_METHOD'] : 'GET'; // phpcs:ignore WordPress.Security.ValidatedSanitizedInput
		if ( ! in_array( $method, array( 'GET', 'HEAD' ), true ) || ! isset( $_SERVER['REQUEST_URI'] ) || is_preview() ) {
			return;
		}
		// phpcs:ignore WordPress.Security.ValidatedSanitizedInput -- only compared, and only after normalising.
		$source = Redirect_Rules::source( (string) strtok( wp_unslash( $_SERVER['REQUEST_URI'] ), '?' ) );
		$row    = is_wp_error( $source ) ? null : ( new Redirects_Own() )->find( $source );
		$store  = $row ? Redirect_Store::active() : null;
		if ( ! $row || '' === $row['destination'] || self::goes_first( $store, $source ) ) {
			return;
		}
		// An apostrophe as it is would be dropped on the way.
		$target = str_replace( "'", '%27', Redirect_Rules::absolute( $row['destination'] ) );
		// Destinations elsewhere are what redirects are for; only those who may change settings set them.
		if ( wp_redirect( $target, $row['status'], 'Site Ops' ) ) { // phpcs:ignore WordPress.Security.SafeRedirect
			exit;
		}
	}

	/**
	 * Where WordPress itself would send the visitor (a page's nicer address, a name that resembles the one asked for);
	 * nowhere if a redirect there is leads from that place back to where the visitor is.
	 *
	 * @param string|false $url Where WordPress would send.
	 * @return string|false
	 */
	public static function unless_back( $url ) {
		$path  = is_string( $url ) && isset( $_SERVER['REQUEST_URI'] ) ? Redirect_Rules::local_path( $url ) : null;
		$store = null === $path ? null : Redirect_Store::active();
		if ( ! $store instanceof Redirect_Store ) {
			return $url;
		}
		// phpcs:ignore WordPress.Security.ValidatedSanitizedInput -- only compared, and only after normalising.
		return Redirect_Rules::leads_to( $path, wp_unslash( $_SERVER['REQUEST_URI'] ), $store ) ? false : $url;
	}

	/**
	 * The post or page that visitors see at a source: a redirect from there keeps visitors from it.
	 *
	 * @param string $source The source.
	 * @return array|null
	 */
	private static function seen_at( $source ) {
		$id = self::post_at( $source );
		return $id && is_post_publicly_viewable( $id )
			? array(
				'id'    => $id,
				'title' => get_post( $id )->post_title,
			)
			: null;
	}

	/**
	 * The post or page that has a source for its address; 0 for none.
	 *
	 * @param string $source The source.
	 * @return int
	 */
	private static function post_at( $source ) {
		return url_to_postid( Redirect_Rules::address( str_replace( '%2F', '/', rawurlencode( $source ) ) ) );
	}

	/**
	 * Whether a redirect of the SEO plugin fits a path.
	 *
	 * @param Redirect_Store|WP_Error $store The store of the site.
	 * @param string                  $path  A path as Redirect_Rules::source() gives it.
	 * @return bool
	 */
	private static function goes_first( $store, $path ) {
		if ( ! $store instanceof Redirect_Store || $store instanceof Redirects_Own ) {
			return false;
		}
		$row = $store->match( $path );
		return null !== $row && '' !== $row['destination'];
	}
}
