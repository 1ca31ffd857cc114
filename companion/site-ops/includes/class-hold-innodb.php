<?php
/**
 * Holding a call on MariaDB and MySQL.
 *
 * @package SiteOps
 */

namespace SiteOps;

use mysqli_result;
use Throwable;

defined( 'ABSPATH' ) || exit;

/**
 * An XA transaction, which the server lets nobody commit without its secret name. What was there before is read on a
 * second connection.
 */
final class Hold_Innodb extends Hold_Mysql {

	/** What mysqlnd counts when a connection is made or taken over. */
	const LINKS = array( 'connect_success', 'connect_reused', 'pconnect_success' );

	/** Statements of a session that write rows, as the server counts them. */
	const WRITES = "SHOW SESSION STATUS WHERE Variable_name IN ('Com_insert','Com_update','Com_delete','Com_replace','Com_insert_select','Com_replace_select','Com_update_multi','Com_delete_multi','Com_load','Com_call_procedure','Com_execute_immediate')";

	/** Tables whose rows the server changes with those of others. */
	const CASCADES = "SELECT TABLE_NAME AS child, REFERENCED_TABLE_NAME AS parent FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE() AND ( DELETE_RULE NOT IN ('RESTRICT','NO ACTION') OR UPDATE_RULE NOT IN ('RESTRICT','NO ACTION') )";

	const ISOLATION = 'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ';

	const SNAPSHOT = 'START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY';

	/** The error of a statement that an XA transaction does not allow. */
	const NOT_ALLOWED = 1399;

	/**
	 * Number of the held connection.
	 *
	 * @var int
	 */
	private $thread;

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
	 * Whether the tool may have written past $wpdb; null until it was asked.
	 *
	 * @var bool|null
	 */
	private $unseen = null;

	/**
	 * What CASCADES gave, after the tool has ended.
	 *
	 * @var array[]
	 */
	private $cascades = array();

	// What these methods do is said where they are declared.
	// phpcs:disable Squiz.Commenting.FunctionComment.Missing

	public function lock( $id, $seconds ) {
		global $wpdb;
		$this->held   = $wpdb->dbh;
		$this->thread = $this->held->thread_id;
		$second       = self::connect();
		if ( null === $second ) {
			return false;
		}
		$this->old = $second;
		$own       = "GET_LOCK('" . Hold_Host::lock_name( $id ) . "', 0)";
		$all       = "GET_LOCK('" . Hold_Host::lock_name( '' ) . "', " . (int) $seconds . ')';
		$got       = $this->was( "SELECT IF( $own = 1, $all, 0 ) AS held_lock" );
		return $got && '1' === (string) $got[0]['held_lock'];
	}

	public function begin( $seconds ) {
		global $wpdb;
		// A connection that is lost must not be made anew: what is written there would stay.
		$wpdb->reconnect_retries = 0;
		$this->xid               = bin2hex( random_bytes( 16 ) );
		if ( $this->is_cluster() ) {
			return Errors::make( 'hold_unsupported', Hold_Host::cluster() );
		}
		if ( 'InnoDB' !== $this->engine( $wpdb->posts ) ) {
			return Errors::make( 'hold_unsupported', Hold_Host::no_transactions() );
		}
		$this->links = self::links();
		$this->both( self::ISOLATION, self::ISOLATION );
		$this->now( 'SET SESSION innodb_lock_wait_timeout = ' . (int) $seconds );
		list( $counts ) = $this->both( self::WRITES, self::SNAPSHOT );
		$this->written  = self::count( $counts );
		$this->now( "XA START '$this->xid'" );
		// From here on the call sees one state of the site, as the second connection does.
		$this->now( "SELECT 1 FROM `$wpdb->options` LIMIT 1" );
		return $this->failed || 'standing' !== $this->state()
			? Errors::make( 'hold_unsupported', Hold_Host::no_xa() )
			: null;
	}

	public function escaped() {
		if ( self::links() > $this->links ) {
			return __( 'the tool made a database connection of its own', 'site-ops' );
		}
		$state = $this->state();
		if ( 'lost' === $state ) {
			// The server takes back what a lost connection wrote.
			$this->failed = true;
			return null;
		}
		if ( 'ended' === $state ) {
			return __( 'the transaction was ended', 'site-ops' );
		}
		return $this->unseen() && array_diff( $this->all_engines(), array( 'InnoDB' ) )
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

	protected function renew() {
		// This ends the transaction before.
		$this->was( self::SNAPSHOT );
		return true;
	}

	protected function complete() {
		if ( $this->unseen() || $this->has_triggers() ) {
			foreach ( $this->tables() as $table ) {
				$this->statements->touch( $table, 'full' );
			}
			return;
		}
		do {
			$before = count( $this->statements->touched );
			foreach ( $this->cascades as $cascade ) {
				if ( isset( $this->statements->touched[ $cascade['parent'] ] ) ) {
					$this->statements->touch( $cascade['child'], 'full' );
				}
			}
		} while ( count( $this->statements->touched ) > $before );
	}

	// phpcs:enable

	/**
	 * Whether the server is one of a Galera cluster; other servers do not know the variable.
	 *
	 * @return bool
	 */
	private function is_cluster() {
		try {
			$result = $this->old->query( 'SELECT @@GLOBAL.wsrep_on' );
		} catch ( Throwable $error ) {
			return false;
		}
		return $result instanceof mysqli_result && '1' === (string) $result->fetch_row()[0];
	}

	/**
	 * Whether our transaction is there: only it refuses a plain COMMIT.
	 *
	 * @return string standing, ended, or lost with its connection.
	 */
	private function state() {
		try {
			$code = $this->held->query( 'COMMIT' ) ? 0 : $this->held->errno;
		} catch ( Throwable $error ) {
			$code = $error->getCode();
		}
		if ( self::NOT_ALLOWED === $code ) {
			return 'standing';
		}
		return 0 === $code || array() !== $this->now( 'SELECT 1' ) ? 'ended' : 'lost';
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
	 * @param array[] $rows What self::WRITES gave.
	 * @return int
	 */
	private static function count( array $rows ) {
		return (int) array_sum( array_column( $rows, 'Value' ) );
	}

	/**
	 * Whether the tool may have written past $wpdb. Asked once, after the tool has ended.
	 *
	 * @return bool
	 */
	private function unseen() {
		if ( null === $this->unseen ) {
			list( $counts, $this->cascades ) = $this->both( self::WRITES, self::CASCADES );

			$this->statements->heed_error();
			$this->unseen = $this->statements->doubt || self::count( $counts ) - $this->written !== $this->statements->seen;
		}
		return $this->unseen;
	}
}
