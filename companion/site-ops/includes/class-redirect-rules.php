<?php
/**
 * Which redirects may be.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Checks sources, destinations and chains. */
final class Redirect_Rules {

	const LENGTH = 2000;

	/** How many redirects in a row a visitor may be led through; browsers give up at some twenty. */
	const HOPS_MAX = 10;

	/** First segments of paths that must keep working: nobody could repair a site without them. */
	const LOCKED = array( 'wp-admin', 'wp-login.php', 'wp-json', 'wp-content', 'wp-includes', 'xmlrpc.php', 'index.php' );

	/** Those of them to which no visitor may be sent either. */
	const ADMIN = array( 'wp-admin', 'wp-login.php', 'wp-json', 'xmlrpc.php' );

	/**
	 * A source as it is stored: decoded, one slash between segments, none at the end, below the site's home.
	 *
	 * @param string $source The path as sent.
	 * @return string|WP_Error
	 */
	public static function source( $source ) {
		$path = self::decoded( $source );
		if ( null === $path || '' === $source || '/' !== $source[0] || preg_match( '/[?#]/', $path ) || self::dotted( $path ) ) {
			return self::refuse( 'source', __( 'source must be a path on this site such as /old-page, without a query', 'site-ops' ) );
		}
		$path = self::below_home( $path );
		if ( '/' === $path || self::starts( $path, self::LOCKED ) || preg_match( '#^/wp-[^/]*\.php(/|$)#i', $path ) ) {
			return self::refuse( 'source', __( 'source may not be the home page, the admin area, the log-in or the REST API', 'site-ops' ) );
		}
		return $path;
	}

	/**
	 * A destination as it is stored: an http(s) address or a path on this site.
	 *
	 * @param string $destination The destination as sent.
	 * @return string|WP_Error
	 */
	public static function destination( $destination ) {
		$plain = self::decoded( $destination );
		$local = '' !== $destination && '/' === $destination[0] && '/' !== substr( $destination, 1, 1 );
		$parts = wp_parse_url( $destination );
		if ( null === $plain || ! is_array( $parts ) || ! ( $local || Text::is_url( $destination ) ) || isset( $parts['user'] ) || preg_match( '/[<>"]/', $destination ) ) {
			return self::refuse( 'destination', __( 'destination must be an http or https address, or a path that begins with one slash', 'site-ops' ) );
		}
		$path  = self::local_path( $destination );
		$query = isset( $parts['query'] ) ? strtolower( rawurldecode( $parts['query'] ) ) : '';
		if ( null !== $path && ( self::starts( $path, self::ADMIN ) || preg_match( '/(^|&)rest_route=/', $query ) ) ) {
			return self::refuse( 'destination', __( 'destination may not be the admin area, the log-in or the REST API', 'site-ops' ) );
		}
		return $destination;
	}

	/**
	 * Refuses a redirect that would lead back to where a visitor has been, or through more than HOPS_MAX others.
	 *
	 * @param string         $source      The source as stored.
	 * @param string         $destination The destination.
	 * @param Redirect_Store $store       The redirects there are.
	 * @return WP_Error|null
	 */
	public static function loop( $source, $destination, Redirect_Store $store ) {
		$seen = array( self::key( $source ) => true );
		$path = self::local_path( $destination );
		while ( null !== $path ) {
			$key = self::key( $path );
			if ( isset( $seen[ $key ] ) ) {
				/* translators: 1: a path, 2: a path or address */
				$said = sprintf( __( 'A redirect from %1$s to %2$s would lead in a circle', 'site-ops' ), $source, $destination );
				return Errors::make( 'redirect_loop', $said, array( 'chain' => array_keys( $seen ) ) );
			}
			$seen[ $key ] = true;
			$row          = $store->resolve( $path );
			if ( null === $row || '' === $row['destination'] ) {
				return null;
			}
			if ( count( $seen ) > self::HOPS_MAX ) {
				/* translators: 1: a path or address, 2: a number */
				$said = sprintf( __( 'From %1$s on visitors would be led through more than %2$d redirects', 'site-ops' ), $destination, self::HOPS_MAX );
				return Errors::make( 'redirect_loop', $said, array( 'chain' => array_keys( $seen ) ) );
			}
			$path = self::local_path( $row['destination'] );
		}
		return null;
	}

	/**
	 * Whether the redirects there are lead from a path to an address, also one over another.
	 *
	 * @param string         $path  A path as source() gives it.
	 * @param string         $url   A path on this site with its query, or an address.
	 * @param Redirect_Store $store The redirects there are.
	 * @return bool
	 */
	public static function leads_to( $path, $url, Redirect_Store $store ) {
		$wanted = self::place( $url );
		for ( $hop = 0; $hop <= self::HOPS_MAX && null !== $wanted && null !== $path; ++$hop ) {
			$row = $store->resolve( $path );
			if ( null === $row || '' === $row['destination'] ) {
				return false;
			}
			if ( self::place( $row['destination'] ) === $wanted ) {
				return true;
			}
			$path = self::local_path( $row['destination'] );
		}
		return false;
	}

	/**
	 * What two addresses have in common that lead to the same place on this site; null for one elsewhere.
	 *
	 * @param string $url A path or an address.
	 * @return string|null
	 */
	private static function place( $url ) {
		$path = self::local_path( $url );
		return null === $path ? null : self::key( $path ) . '?' . wp_parse_url( $url, PHP_URL_QUERY );
	}

	/**
	 * What two paths have in common that are the same to a visitor.
	 *
	 * @param string $path A path as source() gives it.
	 * @return string
	 */
	public static function key( $path ) {
		return function_exists( 'mb_strtolower' ) ? mb_strtolower( $path, 'UTF-8' ) : strtolower( $path );
	}

	/**
	 * The path on this site an address leads to, as source() gives it; null for one elsewhere.
	 *
	 * @param string $url A path or an address.
	 * @return string|null
	 */
	public static function local_path( $url ) {
		$parts = wp_parse_url( $url );
		$hosts = array();
		foreach ( array( self::home(), site_url() ) as $own ) {
			$hosts[] = strtolower( (string) wp_parse_url( $own, PHP_URL_HOST ) );
		}
		if ( ! is_array( $parts ) || ( isset( $parts['host'] ) && ! in_array( strtolower( $parts['host'] ), $hosts, true ) ) ) {
			return null;
		}
		$path = self::decoded( isset( $parts['path'] ) ? $parts['path'] : '/' );
		$path = null === $path ? null : self::undotted( $path );
		if ( null === $path || ( isset( $parts['host'] ) && ! self::is_below_home( $path ) ) ) {
			return null;
		}
		return self::below_home( $path );
	}

	/**
	 * A destination as an address.
	 *
	 * @param string $destination A path on this site, or an address.
	 * @return string
	 */
	public static function absolute( $destination ) {
		if ( '/' !== $destination[0] ) {
			return $destination;
		}
		$folder = self::folder();
		if ( '' !== $folder && preg_match( '#^' . preg_quote( $folder, '#' ) . '(?=[/?\#]|$)#', $destination ) ) {
			$destination = substr( $destination, strlen( $folder ) );
		}
		return self::address( '/' . ltrim( $destination, '/' ) );
	}

	/**
	 * The address of a path on this site.
	 *
	 * @param string $path A path as source() gives it.
	 * @return string
	 */
	public static function address( $path ) {
		return self::home() . $path;
	}

	/**
	 * The address of the site's home. Not home_url(): plugins for several languages put the one being shown into it.
	 *
	 * @return string
	 */
	private static function home() {
		$home = rtrim( (string) get_option( 'home' ), '/' );
		return is_ssl() ? set_url_scheme( $home, 'https' ) : $home;
	}

	/**
	 * A path with every escape resolved, however often it was escaped; null where that gives what no path holds.
	 *
	 * @param string $path A path or an address.
	 * @return string|null
	 */
	private static function decoded( $path ) {
		if ( strlen( $path ) > self::LENGTH || false !== strpos( $path, ' ' ) ) {
			return null;
		}
		for ( $round = 0; $round < 6; ++$round ) {
			if ( 1 !== preg_match( '/^[^\x00-\x1f\x7f\\\\]*$/Du', $path ) ) {
				return null;
			}
			$next = rawurldecode( $path );
			if ( $next === $path ) {
				return preg_replace( '#/{2,}#', '/', $path );
			}
			$path = $next;
		}
		return null;
	}

	/**
	 * Whether a path holds the segments . or ..
	 *
	 * @param string $path A decoded path.
	 * @return bool
	 */
	private static function dotted( $path ) {
		return array() !== array_intersect( array( '.', '..' ), explode( '/', $path ) );
	}

	/**
	 * A path with . and .. resolved as browsers do.
	 *
	 * @param string $path A decoded path.
	 * @return string
	 */
	private static function undotted( $path ) {
		$out = array();
		foreach ( explode( '/', $path ) as $segment ) {
			if ( '..' === $segment ) {
				array_pop( $out );
			} elseif ( '.' !== $segment && '' !== $segment ) {
				$out[] = $segment;
			}
		}
		return '/' . implode( '/', $out );
	}

	/**
	 * A path without the folder the site lies in, and without a slash at its end.
	 *
	 * @param string $path A decoded path.
	 * @return string
	 */
	private static function below_home( $path ) {
		if ( self::is_below_home( $path ) ) {
			$path = substr( $path, strlen( self::folder() ) );
		}
		return '/' . trim( $path, '/' );
	}

	/**
	 * Whether a path lies in the folder the site lies in.
	 *
	 * @param string $path A decoded path.
	 * @return bool
	 */
	private static function is_below_home( $path ) {
		return 0 === strpos( $path . '/', self::folder() . '/' );
	}

	/**
	 * The folder the site lies in; empty where it lies in none.
	 *
	 * @return string
	 */
	private static function folder() {
		return rtrim( (string) wp_parse_url( self::home(), PHP_URL_PATH ), '/' );
	}

	/**
	 * Whether a path begins with one of these segments, or with the site's own name for one of them; also below the
	 * folder WordPress lies in where that is another than the site's.
	 *
	 * @param string   $path     A path as source() gives it.
	 * @param string[] $segments First segments.
	 * @return bool
	 */
	private static function starts( $path, array $segments ) {
		$segments[] = self::key( rest_get_url_prefix() );
		$path       = self::key( $path );
		$core       = self::key( self::below_home( (string) wp_parse_url( site_url(), PHP_URL_PATH ) ) ) . '/';
		$inner      = 0 === strpos( $path, $core ) ? substr( $path, strlen( $core ) ) : $path;
		foreach ( array( $path, $inner ) as $part ) {
			if ( in_array( explode( '/', ltrim( $part, '/' ) )[0], $segments, true ) ) {
				return true;
			}
		}
		return false;
	}

	/**
	 * The error of a source or destination.
	 *
	 * @param string $param   source or destination.
	 * @param string $message What was wrong.
	 * @return WP_Error
	 */
	private static function refuse( $param, $message ) {
		return Errors::make( 'redirect_target', $message, array( 'param' => $param ) );
	}
}
