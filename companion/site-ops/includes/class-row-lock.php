<?php
/**
 * What is written, held against other writers while it is compared.
 *
 * @package SiteOps
 */

namespace SiteOps;

use Throwable;

defined( 'ABSPATH' ) || exit;

/** Runs a write while nobody else can change the post's row; what fails leaves nothing behind where that can be had. */
final class Row_Lock {

	/** How long another writer is waited for. */
	const WAIT_SECONDS = 10;

	/**
	 * What the site's database offers: `row` locks the row (InnoDB), `file` the whole database (SQLite), and `name` only
	 * keeps this plugin's own writers apart (tables without transactions).
	 *
	 * @return string
	 */
	public static function kind() {
		global $wpdb;
		if ( self::is_file() ) {
			return 'file';
		}
		// phpcs:ignore WordPress.DB.DirectDatabaseQuery -- what kind of table it is, nobody else keeps.
		$engine = $wpdb->get_var(
			$wpdb->prepare(
				'SELECT ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = %s',
				$wpdb->posts
			)
		);
		return 'innodb' === strtolower( (string) $engine ) ? 'row' : 'name';
	}

	/**
	 * Whether the site's database is a file of SQLite; it is not asked for that.
	 *
	 * @return bool
	 */
	public static function is_file() {
		global $wpdb;
		return ( defined( 'DB_ENGINE' ) && 'sqlite' === constant( 'DB_ENGINE' ) ) || $wpdb instanceof \WP_SQLite_DB;
	}

	/**
	 * What waits for the end of a transaction; null where none runs.
	 *
	 * @var callable[]|null
	 */
	private static $later = null;

	/**
	 * Runs a write of a post under its lock. What the write answers is kept, unless it is an error or something is
	 * thrown: then all of it is taken back (not where the lock is only a name).
	 *
	 * @param int      $id    Number of the post.
	 * @param callable $write Compares and writes.
	 * @return mixed What the write gave; an error where somebody else held the post too long.
	 */
	public static function hold( $id, $write ) {
		$kind = self::kind();
		if ( ! self::take( $kind, $id ) ) {
			self::release( $kind, $id, false );
			/* translators: %d: number of a post */
			return Errors::make( 'busy', sprintf( __( 'Post %d is being saved by somebody else', 'site-ops' ), $id ) );
		}
		return self::within( $kind, $id, $write, false );
	}

	/**
	 * Runs a write that is of no post yet while no other write of that name runs. What it wrote stays, whatever it answers.
	 *
	 * @param string   $name  What is written.
	 * @param callable $write Compares and writes.
	 * @return mixed What the write gave; an error where the other took too long.
	 */
	public static function alone( $name, $write ) {
		$kind = 'file' === self::kind() ? 'file' : 'name';
		if ( ! self::take( $kind, $name ) ) {
			self::release( $kind, $name, false );
			/* translators: %s: name of what is written */
			return Errors::make( 'busy', sprintf( __( 'Another write of %s is under way', 'site-ops' ), $name ) );
		}
		return self::within( $kind, $name, $write, true );
	}

	/**
	 * Does something once what is being written is committed, and at once where nothing is. It fails for itself: the write
	 * is done.
	 *
	 * @param callable $act What.
	 */
	public static function after( $act ) {
		if ( null !== self::$later ) {
			self::$later[] = $act;
			return;
		}
		try {
			$act();
		} catch ( Throwable $error ) {
			error_log( 'Site Ops: after a write: ' . $error->getMessage() ); // phpcs:ignore WordPress.PHP.DevelopmentFunctions
		}
	}

	/**
	 * Runs a write under a lock that was taken, and lets go.
	 *
	 * @param string     $kind  As kind() says.
	 * @param int|string $id    Number of the post, or the name of what is written.
	 * @param callable   $write Compares and writes.
	 * @param bool       $stays Whether what was written stays where an error is answered.
	 * @return mixed What the write gave.
	 */
	private static function within( $kind, $id, $write, $stays ) {
		$outer = self::$later;
		$kept  = false;
		// What others read until the commit is old, and what is written until then is not to be seen by them.
		$laid        = 'name' !== $kind && Hold_Cache::enter();
		self::$later = 'name' === $kind ? $outer : array();
		try {
			self::forget( (int) $id );
			$result = $write();
			$kept   = $stays || ! is_wp_error( $result );
			return $result;
		} finally {
			self::release( $kind, $id, $kept );
			if ( $laid ) {
				Hold_Cache::leave( $kept );
			}
			$later       = $kept && 'name' !== $kind ? self::$later : array();
			self::$later = $outer;
			array_map( array( __CLASS__, 'after' ), $later );
		}
	}

	/**
	 * Takes the lock.
	 *
	 * @param string     $kind As kind() says.
	 * @param int|string $id   Number of the post, or the name of what is written.
	 * @return bool Whether it was got.
	 */
	private static function take( $kind, $id ) {
		global $wpdb;
		// phpcs:disable WordPress.DB.DirectDatabaseQuery -- WordPress has no locks of its own.
		if ( 'name' === $kind ) {
			return '1' === (string) $wpdb->get_var( $wpdb->prepare( 'SELECT GET_LOCK(%s, %d)', self::name( $id ), self::WAIT_SECONDS ) );
		}
		$hidden = $wpdb->hide_errors();
		try {
			if ( 'row' === $kind ) {
				$wpdb->query( $wpdb->prepare( 'SET SESSION innodb_lock_wait_timeout = %d', self::WAIT_SECONDS ) );
			}
			$wpdb->query( 'START TRANSACTION' );
			// The first statement must be the one that waits: one that reads would fix what the others see.
			$first = 'row' === $kind
				? $wpdb->prepare( "SELECT ID FROM {$wpdb->posts} WHERE ID = %d FOR UPDATE", $id )
				: $wpdb->prepare( "UPDATE {$wpdb->posts} SET post_type = post_type WHERE ID = %d", $id );
			return false !== $wpdb->query( $first );
		} finally {
			$wpdb->show_errors( $hidden );
		}
		// phpcs:enable
	}

	/**
	 * Lets go.
	 *
	 * @param string     $kind As kind() says.
	 * @param int|string $id   Number of the post, or the name of what is written.
	 * @param bool       $kept Whether what was written stays.
	 */
	private static function release( $kind, $id, $kept ) {
		global $wpdb;
		// phpcs:disable WordPress.DB.DirectDatabaseQuery -- as above.
		if ( 'name' === $kind ) {
			$wpdb->query( $wpdb->prepare( 'SELECT RELEASE_LOCK(%s)', self::name( $id ) ) );
			return;
		}
		$wpdb->query( $kept ? 'COMMIT' : 'ROLLBACK' );
		// phpcs:enable
		if ( ! $kept ) {
			// What was cached of the write that was taken back.
			clean_post_cache( (int) $id );
			wp_cache_delete( 'alloptions', 'options' );
			wp_cache_delete( 'cron', 'options' );
		}
	}

	/**
	 * Drops what was read before the lock was there, which may be old.
	 *
	 * @param int $id Number of the post; 0 for none.
	 */
	private static function forget( $id ) {
		clean_post_cache( $id );
		wp_cache_delete( 'alloptions', 'options' );
	}

	/**
	 * The name of a lock: such names are shared by all databases of a server.
	 *
	 * @param int|string $id Number of the post, or the name of what is written.
	 * @return string
	 */
	private static function name( $id ) {
		global $wpdb;
		return 'site_ops_' . md5( DB_NAME . '/' . $wpdb->posts . '/' . $id );
	}
}
