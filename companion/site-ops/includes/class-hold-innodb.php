<?php
/**
 * Holding a call on MariaDB and MySQL.
 *
 * @package SiteOps
 */

namespace SiteOps;

use mysqli;
use mysqli_result;
use Throwable;
use wpdb;

defined( 'ABSPATH' ) || exit;

/**
 * An XA transaction, which the server lets nobody commit without its secret name. What was there before is read on a
 * second connection.
 */
final class Hold_Innodb extends Hold_Database {

	/** What mysqlnd counts when a connection is made or taken over. */
	const LINKS = array( 'connect_success', 'connect_reused', 'pconnect_success' );

	/** Statements of a session that write rows, as the server counts them. */
	const WRITES = "SHOW SESSION STATUS WHERE Variable_name IN ('Com_insert','Com_update','Com_delete','Com_replace','Com_insert_select','Com_replace_select','Com_update_multi','Com_delete_multi','Com_load','Com_call_procedure','Com_execute_immediate')";

	/** The error of a statement that an XA transaction does not allow. */
	const NOT_ALLOWED = 1399;

	/**
	 * The connection that is held.
	 *
	 * @var mysqli
	 */
	private $held;

	/**
	 * Number of that connection.
	 *
	 * @var int
	 */
	private $thread;

	/**
	 * The connection that sees what was before.
	 *
	 * @var mysqli
	 */
	private $old;

	/**
	 * Secret name of the transaction.
	 *
	 * @var string
	 */
	private $xid;

	/**
	 * Writing statements of the session before the call.
	 *
	 * @var int
	 */
	private $written;

	/**
	 * Connections of the process before the call.
	 *
	 * @var int
	 */
	private $links;

	/**
	 * Engine by table.
	 *
	 * @var string[]|null
	 */
	private $engines = null;

	// What these methods do is said where they are declared.
	// phpcs:disable Squiz.Commenting.FunctionComment.Missing

	public function lock( $id, $seconds ) {
		global $wpdb;
		$this->held   = $wpdb->dbh;
		$this->thread = $this->held->thread_id;
		$second       = new wpdb( DB_USER, DB_PASSWORD, DB_NAME, DB_HOST );
		$this->old    = $second->dbh;
		$got          = $this->was( "SELECT GET_LOCK('" . Hold_Host::lock_name( $id ) . "', 0) AS held_lock" );
		if ( $got && '1' === (string) $got[0]['held_lock'] ) {
			$got = $this->was( "SELECT GET_LOCK('" . Hold_Host::lock_name( '' ) . "', " . (int) $seconds . ') AS held_lock' );
			return $got && '1' === (string) $got[0]['held_lock'];
		}
		return false;
	}

	public function begin( $seconds ) {
		global $wpdb;
		// A connection that is lost must not be made anew: what is written there would stay.
		$wpdb->reconnect_retries = 0;
		$this->xid               = bin2hex( random_bytes( 16 ) );
		$this->tables();
		foreach ( array( $this->old, $this->held ) as $link ) {
			$this->ask( $link, 'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ' );
		}
		$this->ask( $this->held, 'SET SESSION innodb_lock_wait_timeout = ' . (int) $seconds );
		$this->links   = self::links();
		$this->written = $this->written();
		$this->ask( $this->old, 'START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY' );
		$this->ask( $this->held, "XA START '$this->xid'" );
		$this->ask( $this->held, "SELECT 1 FROM `$wpdb->options` LIMIT 1" );
		return $this->failed || ! $this->is_standing()
			? Errors::make( 'hold_unsupported', __( 'The database did not begin an XA transaction', 'site-ops' ) )
			: null;
	}

	public function escaped() {
		if ( self::links() > $this->links ) {
			return __( 'the tool made a database connection of its own', 'site-ops' );
		}
		if ( array() === $this->now( 'SELECT 1' ) ) {
			// The server takes back what a lost connection wrote.
			$this->failed = true;
			return null;
		}
		if ( ! $this->is_standing() ) {
			return __( 'the transaction was ended', 'site-ops' );
		}
		return $this->unseen() && array_diff( $this->engines, array( 'InnoDB' ) )
			? __( 'statements past WordPress on a site that has tables without transactions', 'site-ops' )
			: null;
	}

	public function end( $receipt ) {
		try {
			$kept = null !== $receipt && $this->held->query( $receipt );
			$this->held->query( "XA END '$this->xid'" );
			return $this->held->query( $kept ? "XA COMMIT '$this->xid' ONE PHASE" : "XA ROLLBACK '$this->xid'" ) && ( $kept || null === $receipt );
		} catch ( Throwable $error ) {
			try {
				$this->held->query( "XA END '$this->xid'" );
			} catch ( Throwable $again ) {
				unset( $again );
			}
			try {
				$this->held->query( "XA ROLLBACK '$this->xid'" );
			} catch ( Throwable $again ) {
				// The server takes back what a closed connection wrote.
				$this->held->close();
			}
			return false;
		}
	}

	public function seal() {
		$this->ask( $this->held, 'SET SESSION TRANSACTION READ ONLY' );
		$this->old->close();
	}

	public function nested( $what, $level ) {
		$verbs = array(
			'begin'    => 'SAVEPOINT',
			'commit'   => 'RELEASE SAVEPOINT',
			'rollback' => 'ROLLBACK TO SAVEPOINT',
		);
		return $verbs[ $what ] . ' site_ops_held_' . $level;
	}

	public function refused() {
		return '';
	}

	public function is_same() {
		global $wpdb;
		return $wpdb->dbh === $this->held && $this->held->thread_id === $this->thread;
	}

	public function needs_statements() {
		return true;
	}

	public function tables() {
		if ( null === $this->engines ) {
			$this->engines = array_column( $this->was( "SELECT TABLE_NAME AS n, ENGINE AS e FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE'" ), 'e', 'n' );
		}
		return array_keys( $this->engines );
	}

	public function quote( $text ) {
		return "'" . $this->old->real_escape_string( (string) $text ) . "'";
	}

	protected function now( $sql ) {
		return $this->ask( $this->held, $sql );
	}

	protected function was( $sql ) {
		return $this->ask( $this->old, $sql );
	}

	protected function renew() {
		$this->ask( $this->old, 'ROLLBACK' );
		$this->ask( $this->old, 'START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY' );
		return true;
	}

	protected function read_shape( $table ) {
		$shape = array(
			'columns'       => array(),
			'key'           => array(),
			'auto'          => null,
			'transactional' => isset( $this->engines[ $table ] ) && 'InnoDB' === $this->engines[ $table ],
		);
		foreach ( $this->was( "SHOW COLUMNS FROM `$table`" ) as $column ) {
			$shape['columns'][] = $column['Field'];
			if ( 'PRI' === $column['Key'] ) {
				$shape['key'][] = $column['Field'];
			}
			if ( false !== strpos( $column['Extra'], 'auto_increment' ) ) {
				$shape['auto'] = $column['Field'];
			}
		}
		return $shape;
	}

	protected function sum( array $columns ) {
		$sums = array();
		foreach ( $columns as $column ) {
			$sums[] = "IFNULL(MD5(`$column`),'-')";
		}
		return 'MD5(CONCAT(' . implode( ",'|',", $sums ) . '))';
	}

	protected function complete() {
		$triggers = $this->was( 'SELECT 1 FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE() LIMIT 1' );
		if ( $this->unseen() || $triggers ) {
			foreach ( $this->tables() as $table ) {
				$this->statements->touch( $table, 'full' );
			}
			return;
		}
		$cascades = $this->was( "SELECT TABLE_NAME AS child, REFERENCED_TABLE_NAME AS parent FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE() AND ( DELETE_RULE NOT IN ('RESTRICT','NO ACTION') OR UPDATE_RULE NOT IN ('RESTRICT','NO ACTION') )" );
		do {
			$before = count( $this->statements->touched );
			foreach ( $cascades as $cascade ) {
				if ( isset( $this->statements->touched[ $cascade['parent'] ] ) ) {
					$this->statements->touch( $cascade['child'], 'full' );
				}
			}
		} while ( count( $this->statements->touched ) > $before );
	}

	// phpcs:enable

	/**
	 * Runs a statement of ours.
	 *
	 * @param mysqli $link On which connection.
	 * @param string $sql  The statement.
	 * @return array[] Its rows.
	 */
	private function ask( mysqli $link, $sql ) {
		try {
			$result = $link->query( $sql );
		} catch ( Throwable $error ) {
			$result = false;
		}
		if ( false === $result ) {
			$this->failed = true;
		}
		return $result instanceof mysqli_result ? $result->fetch_all( MYSQLI_ASSOC ) : array();
	}

	/**
	 * Whether our transaction is there: only it refuses a plain COMMIT.
	 *
	 * @return bool
	 */
	private function is_standing() {
		try {
			return ! $this->held->query( 'COMMIT' ) && self::NOT_ALLOWED === $this->held->errno;
		} catch ( Throwable $error ) {
			return self::NOT_ALLOWED === $error->getCode();
		}
	}

	/**
	 * Connections that the process made to any database of this kind.
	 *
	 * @return int
	 */
	private static function links() {
		return (int) array_sum( array_intersect_key( mysqli_get_client_stats(), array_flip( self::LINKS ) ) );
	}

	/**
	 * Writing statements of the session.
	 *
	 * @return int
	 */
	private function written() {
		return (int) array_sum( array_column( $this->now( self::WRITES ), 'Value' ) );
	}

	/**
	 * Whether the tool may have written past $wpdb.
	 *
	 * @return bool
	 */
	private function unseen() {
		$this->statements->heed_error();
		return $this->statements->doubt || $this->written() - $this->written !== $this->statements->seen;
	}
}
