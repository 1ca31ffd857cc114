<?php
/**
 * What files were before a held call.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** Keeps the bytes of files that are about to be changed, and puts them back. */
final class Hold_Journal {

	/** Name of the copies, in the folder for temporary files. */
	const COPY = 'site-ops-hold';

	/**
	 * What each path was: the path of a copy, false for a folder, null for nothing.
	 *
	 * @var array
	 */
	private static $kept = array();

	/**
	 * Keeps what a path is, once.
	 *
	 * @param string $path The path.
	 */
	public static function note( $path ) {
		$path = preg_replace( '#^file://#', '', $path );
		$real = realpath( dirname( $path ) );
		$path = false === $real ? $path : $real . '/' . basename( $path );
		if ( array_key_exists( $path, self::$kept ) || preg_match( '#^/(dev|proc)/#', $path ) ) {
			return;
		}
		if ( is_file( $path ) ) {
			$copy = tempnam( sys_get_temp_dir(), self::COPY );
			copy( $path, $copy );
			self::$kept[ $path ] = $copy;
			return;
		}
		self::$kept[ $path ] = is_dir( $path ) ? false : null;
	}

	/**
	 * Notes the folders that are about to be made for one.
	 *
	 * @param string $path Path of the folder.
	 */
	public static function note_folders( $path ) {
		$new = array();
		while ( ! file_exists( $path ) && strlen( $path ) > 1 ) {
			$new[] = $path;
			$path  = dirname( $path );
		}
		foreach ( array_reverse( $new ) as $folder ) {
			self::note( $folder );
		}
	}

	/**
	 * What differs.
	 *
	 * @return array[] By path below WordPress: sum of the bytes before and after, "folder", or null for nothing.
	 */
	public static function changes() {
		$changes = array();
		foreach ( self::$kept as $path => $copy ) {
			$was = is_string( $copy ) ? sha1_file( $copy ) : ( false === $copy ? 'folder' : null );
			$is  = is_file( $path ) ? sha1_file( $path ) : ( is_dir( $path ) ? 'folder' : null );
			if ( $was !== $is ) {
				$name             = 0 === strpos( $path, ABSPATH ) ? substr( $path, strlen( ABSPATH ) ) : $path;
				$changes[ $name ] = array( $was, $is );
			}
		}
		ksort( $changes );
		return $changes;
	}

	/** Puts everything back, the last change first. */
	public static function undo() {
		foreach ( array_reverse( self::$kept, true ) as $path => $copy ) {
			if ( is_string( $copy ) ) {
				is_dir( dirname( $path ) ) || mkdir( dirname( $path ), 0755, true );
				if ( ! is_file( $path ) || sha1_file( $path ) !== sha1_file( $copy ) ) {
					copy( $copy, $path );
				}
			} elseif ( false === $copy ) {
				is_dir( $path ) || mkdir( $path, 0755, true );
			} elseif ( is_dir( $path ) ) {
				// Not where somebody else put something into it.
				@rmdir( $path ); // phpcs:ignore WordPress.PHP.NoSilencedErrors
			} elseif ( file_exists( $path ) ) {
				unlink( $path );
			}
		}
		self::forget();
	}

	/** Lets the copies go. */
	public static function forget() {
		foreach ( array_filter( self::$kept ) as $copy ) {
			unlink( $copy );
		}
		self::$kept = array();
	}
}
