<?php
/**
 * Whether calls can be held on this site.
 *
 * @package SiteOps
 */

namespace SiteOps;

use mysqli;
use Throwable;

defined( 'ABSPATH' ) || exit;

/** What kind of database the site has, and which held call is running there. */
final class Hold_Host {

	/** Classes of $wpdb that have one connection. */
	const CLASSES = array( 'wpdb', 'QM_DB' );

	/**
	 * The kind of database, and why calls cannot be held.
	 *
	 * @return array engine (innodb, sqlite or null) and why (null or a sentence).
	 */
	public static function support() {
		$why = self::missing();
		if ( null === $why && ! Row_Lock::is_file() ) {
			$why = self::refused_innodb();
		}
		$engine = Row_Lock::is_file() ? 'sqlite' : 'innodb';
		return array(
			'engine' => null === $why ? $engine : null,
			'why'    => $why,
		);
	}

	/**
	 * Why calls cannot be held on this site, as far as it can be told without asking the database.
	 *
	 * @return string|null
	 */
	public static function missing() {
		if ( is_multisite() ) {
			return __( 'Calls are not held on networks of sites', 'site-ops' );
		}
		return Row_Lock::is_file() ? self::missing_sqlite() : self::missing_innodb();
	}

	/**
	 * The site's database.
	 *
	 * @return Hold_Database
	 */
	public static function database() {
		return Row_Lock::is_file() ? new Hold_Sqlite() : new Hold_Innodb();
	}

	/**
	 * Whether a held call of that id is running.
	 *
	 * @param string $id Its id.
	 * @return bool
	 */
	public static function running( $id ) {
		global $wpdb;
		if ( ! Row_Lock::is_file() ) {
			// phpcs:ignore WordPress.DB.DirectDatabaseQuery -- WordPress has no locks of its own.
			return '0' === (string) $wpdb->get_var( $wpdb->prepare( 'SELECT IS_FREE_LOCK(%s)', self::lock_name( $id ) ) );
		}
		$path = self::lock_file();
		$file = is_file( $path ) ? fopen( $path, 'r' ) : false;
		if ( ! $file ) {
			return false;
		}
		$running = ! flock( $file, LOCK_SH | LOCK_NB ) && fread( $file, 32 ) === $id;
		fclose( $file );
		return $running;
	}

	/**
	 * The name of a lock: such names are shared by all databases of a server.
	 *
	 * @param string $id Id of a call; empty for that of all.
	 * @return string
	 */
	public static function lock_name( $id ) {
		global $wpdb;
		return 'site_ops_' . md5( DB_NAME . '/' . $wpdb->prefix . '/hold/' . $id );
	}

	/**
	 * The file that a held call locks, beside a database that is a file; it has the id of the call.
	 *
	 * @return string
	 */
	public static function lock_file() {
		return FQDB . '-hold';
	}

	/**
	 * Why calls cannot be held on SQLite.
	 *
	 * @return string|null
	 */
	private static function missing_sqlite() {
		global $wpdb;
		$driver = $wpdb->dbh;
		return is_object( $driver ) && method_exists( $driver, 'get_pdo' ) && method_exists( $driver, 'begin_transaction' ) && defined( 'FQDB' )
			? null
			: __( 'The driver of SQLite is of a version that the plugin does not know', 'site-ops' );
	}

	/**
	 * Why calls cannot be held over this connection to MariaDB or MySQL.
	 *
	 * @return string|null
	 */
	private static function missing_innodb() {
		global $wpdb;
		if ( ! in_array( get_class( $wpdb ), self::CLASSES, true ) || ! $wpdb->dbh instanceof mysqli ) {
			/* translators: %s: name of a PHP class */
			return sprintf( __( 'The database is reached by %s, which may have several connections', 'site-ops' ), get_class( $wpdb ) );
		}
		if ( ! function_exists( 'mysqli_get_client_stats' ) || '1' !== (string) ini_get( 'mysqlnd.collect_statistics' ) ) {
			return __( 'PHP does not count the connections to the database: mysqlnd.collect_statistics is off', 'site-ops' );
		}
		return null;
	}

	/**
	 * Why the server of MariaDB or MySQL cannot hold calls. A held call finds that out by itself.
	 *
	 * @return string|null
	 */
	private static function refused_innodb() {
		global $wpdb;
		if ( 'row' !== Row_Lock::kind() ) {
			return self::no_transactions();
		}
		// phpcs:ignore WordPress.DB.DirectDatabaseQuery -- what the server is, nobody else keeps.
		$wsrep = $wpdb->get_row( "SHOW VARIABLES LIKE 'wsrep_on'", ARRAY_N );
		if ( $wsrep && 'ON' === strtoupper( $wsrep[1] ) ) {
			return self::cluster();
		}
		return Hold::is_held() || self::can_xa( $wpdb->dbh ) ? null : self::no_xa();
	}

	/**
	 * The reason of a site whose posts are in a table without transactions.
	 *
	 * @return string
	 */
	public static function no_transactions() {
		return __( 'The table of posts is not InnoDB', 'site-ops' );
	}

	/**
	 * The reason of a cluster.
	 *
	 * @return string
	 */
	public static function cluster() {
		return __( 'The database is a Galera cluster, which has no XA transactions', 'site-ops' );
	}

	/**
	 * The reason of a server that begins no such transaction.
	 *
	 * @return string
	 */
	public static function no_xa() {
		return __( 'The database refuses XA transactions', 'site-ops' );
	}

	/**
	 * Whether the server allows such transactions.
	 *
	 * @param mysqli $link A connection.
	 * @return bool
	 */
	private static function can_xa( mysqli $link ) {
		$xid = bin2hex( random_bytes( 16 ) );
		try {
			return $link->query( "XA START '$xid'" ) && $link->query( "XA END '$xid'" ) && $link->query( "XA ROLLBACK '$xid'" );
		} catch ( Throwable $error ) {
			return false;
		}
	}
}
