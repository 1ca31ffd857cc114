<?php
/**
 * PHP's own file functions during a held call.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/**
 * A stream wrapper in place of PHP's own for files: notes what is about to be changed, and does it. Nothing of what C
 * libraries and other processes write.
 */
final class Hold_Files {

	/**
	 * The context that PHP gives.
	 *
	 * @var resource|null
	 */
	public $context;

	/**
	 * The open file or folder.
	 *
	 * @var resource|false
	 */
	private $handle = false;

	/**
	 * Whether the wrapper is in place.
	 *
	 * @var bool
	 */
	private static $on = false;

	/**
	 * Whether the wrapper was asked.
	 *
	 * @var bool
	 */
	private static $asked = false;

	/** Puts the wrapper in place. */
	public static function start() {
		self::$on = true;
		stream_wrapper_unregister( 'file' );
		stream_wrapper_register( 'file', __CLASS__ );
	}

	/**
	 * Takes the wrapper away.
	 *
	 * @return bool Whether it was still in place.
	 */
	public static function stop() {
		if ( ! self::$on ) {
			return true;
		}
		self::$asked = false;
		file_exists( '/site-ops-hold/' . bin2hex( random_bytes( 8 ) ) );
		self::$on = false;
		// It complains where somebody else took the wrapper away.
		@stream_wrapper_restore( 'file' ); // phpcs:ignore WordPress.PHP.NoSilencedErrors
		return self::$asked;
	}

	/**
	 * Does something with PHP's own wrapper.
	 *
	 * @param callable $act What.
	 * @return mixed What it gave.
	 */
	private static function real( $act ) {
		stream_wrapper_restore( 'file' );
		try {
			return $act();
		} finally {
			if ( self::$on ) {
				stream_wrapper_unregister( 'file' );
				stream_wrapper_register( 'file', __CLASS__ );
			}
		}
	}

	// The names and arguments of these methods are PHP's, as is what they do.
	// phpcs:disable Squiz.Commenting.FunctionComment.Missing, WordPress.PHP.NoSilencedErrors

	public function stream_open( $path, $mode, $options ) {
		$context      = $this->context;
		$this->handle = self::real(
			static function () use ( $path, $mode, $options, $context ) {
				if ( strpbrk( $mode, 'waxc+' ) ) {
					Hold_Journal::note( $path );
				}
				$include = (bool) ( $options & STREAM_USE_PATH );
				return $context ? @fopen( $path, $mode, $include, $context ) : @fopen( $path, $mode, $include );
			}
		);
		return false !== $this->handle;
	}

	public function stream_read( $count ) {
		return fread( $this->handle, $count );
	}

	public function stream_write( $data ) {
		return fwrite( $this->handle, $data );
	}

	public function stream_eof() {
		return feof( $this->handle );
	}

	public function stream_close() {
		fclose( $this->handle );
	}

	public function stream_flush() {
		return fflush( $this->handle );
	}

	public function stream_seek( $offset, $whence ) {
		return 0 === fseek( $this->handle, $offset, $whence );
	}

	public function stream_tell() {
		return ftell( $this->handle );
	}

	public function stream_stat() {
		return fstat( $this->handle );
	}

	public function stream_lock( $operation ) {
		return $operation ? flock( $this->handle, $operation ) : true;
	}

	public function stream_truncate( $size ) {
		return ftruncate( $this->handle, $size );
	}

	public function stream_cast() {
		return $this->handle;
	}

	public function stream_set_option() {
		return false;
	}

	public function stream_metadata( $path, $option, $value ) {
		return self::real(
			static function () use ( $path, $option, $value ) {
				Hold_Journal::note( $path );
				if ( STREAM_META_TOUCH === $option ) {
					return @touch( $path, ...array_values( (array) $value ) );
				}
				return STREAM_META_ACCESS === $option && @chmod( $path, $value );
			}
		);
	}

	public function url_stat( $path, $flags ) {
		self::$asked = true;
		return self::real(
			static function () use ( $path, $flags ) {
				return $flags & STREAM_URL_STAT_LINK ? @lstat( $path ) : @stat( $path );
			}
		);
	}

	public function unlink( $path ) {
		return self::real(
			static function () use ( $path ) {
				Hold_Journal::note( $path );
				return @unlink( $path );
			}
		);
	}

	public function rename( $from, $to ) {
		return self::real(
			static function () use ( $from, $to ) {
				Hold_Journal::note( $from );
				Hold_Journal::note( $to );
				return @rename( $from, $to );
			}
		);
	}

	public function mkdir( $path, $mode, $options ) {
		return self::real(
			static function () use ( $path, $mode, $options ) {
				Hold_Journal::note_folders( $path );
				return @mkdir( $path, $mode, (bool) ( $options & STREAM_MKDIR_RECURSIVE ) );
			}
		);
	}

	public function rmdir( $path ) {
		return self::real(
			static function () use ( $path ) {
				Hold_Journal::note( $path );
				return @rmdir( $path );
			}
		);
	}

	public function dir_opendir( $path ) {
		$this->handle = self::real(
			static function () use ( $path ) {
				return @opendir( $path );
			}
		);
		return false !== $this->handle;
	}

	public function dir_readdir() {
		return readdir( $this->handle );
	}

	public function dir_rewinddir() {
		rewinddir( $this->handle );
		return true;
	}

	public function dir_closedir() {
		closedir( $this->handle );
		return true;
	}
}
