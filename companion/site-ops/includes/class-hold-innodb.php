<?php
/**
 * Holding a call on MariaDB and MySQL.
 *
 * @package SiteOps
 */

namespace SiteOps;

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
	 * Whether the server is one of a Galera cluster.
	 *
	 * @var bool
	 */
	private $is_cluster = false;

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
		$sent         = $this->sent();
		$setting      = $this->begin_now( 'SET SESSION innodb_lock_wait_timeout = ' . (int) $seconds );
		$second       = self::connect();
		$this->end_now( $setting );
		if ( null === $second ) {
			return false;
		}
		$this->old = $second;
		$setting   = $this->begin_now( self::ISOLATION );
		$got       = $this->take_locks( $id, $seconds );
		$this->end_now( $setting );
		if ( '1' !== (string) $got['held_lock'] ) {
			return false;
		}
		$this->is_cluster = '1' === (string) $got['held_cluster'];
		// What WordPress itself sends to set its connection up writes nothing.
		$set_up        = ( $wpdb->charset ? 2 : 0 ) + ( '' === (string) $got['held_mode'] ? 0 : 1 );
		$this->written = $sent > $set_up ? self::count( $this->now( self::WRITES ) ) : 0;
		return true;
	}

	public function begin( $seconds ) {
		global $wpdb;
		// A connection that is lost must not be made anew: what is written there would stay.
		$wpdb->reconnect_retries = 0;
		$this->xid               = bin2hex( random_bytes( 16 ) );
		if ( $this->is_cluster ) {
			return Errors::make( 'hold_unsupported', Hold_Host::cluster() );
		}
		if ( 'InnoDB' !== $this->engine( $wpdb->posts ) ) {
			return Errors::make( 'hold_unsupported', Hold_Host::no_transactions() );
		}
		$this->links = self::links();
		$this->both( "XA START '$this->xid'", self::ISOLATION );
		$state = $this->state(
			function () {
				$this->was( self::SNAPSHOT );
			}
		);
		// From here on the call sees one state of the site, as the second connection does.
		$this->now( "SELECT 1 FROM `$wpdb->options` LIMIT 1" );
		return $this->failed || 'standing' !== $state
			? Errors::make( 'hold_unsupported', Hold_Host::no_xa() )
			: null;
	}

	public function escaped() {
		if ( self::links() > $this->links ) {
			return __( 'the tool made a database connection of its own', 'site-ops' );
		}
		$state = $this->state(
			function () {
				$this->read_ends();
			}
		);
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
	 * Keeps other held calls out, and asks what else has to be known of the server.
	 *
	 * @param string $id      Id of this call.
	 * @param int    $seconds How long another one is waited for.
	 * @return array held_lock, held_mode (its sql_mode) and held_cluster (of Galera).
	 */
	private function take_locks( $id, $seconds ) {
		$own    = "GET_LOCK('" . Hold_Host::lock_name( $id ) . "', 0)";
		$all    = "GET_LOCK('" . Hold_Host::lock_name( '' ) . "', " . (int) $seconds . ')';
		$select = "SELECT IF( $own = 1, $all, 0 ) AS held_lock, @@SESSION.sql_mode AS held_mode";
		$failed = $this->failed;
		$got    = $this->was( "$select, @@GLOBAL.wsrep_on AS held_cluster" );
		if ( ! $got ) {
			// A server that cannot be one of a cluster does not know the variable, and has done nothing yet.
			$this->failed = $failed;
			$got          = $this->was( $select );
		}
		return ( $got ? $got[0] : array() ) + array_fill_keys( array( 'held_lock', 'held_mode', 'held_cluster' ), '' );
	}

	/**
	 * Whether our transaction is there: only it refuses a plain COMMIT.
	 *
	 * @param callable $meanwhile What is done on the second connection meanwhile.
	 * @return string standing, ended, or lost with its connection.
	 */
	private function state( $meanwhile ) {
		try {
			$sent = $this->held->query( 'COMMIT', MYSQLI_ASYNC );
			$meanwhile();
			$code = $sent && $this->held->reap_async_query() ? 0 : $this->held->errno;
		} catch ( Throwable $error ) {
			$code = $error->getCode();
		}
		if ( self::NOT_ALLOWED === $code ) {
			return 'standing';
		}
		return 0 === $code || array() !== $this->now( 'SELECT 1' ) ? 'ended' : 'lost';
	}

	/**
	 * How many statements without rows were sent on WordPress's connection. mysqlnd counts them, and asking the server what
	 * was written costs more than all else. Were it wrong, more writes would be counted at the end than were seen, and all
	 * tables would be compared.
	 *
	 * @return int
	 */
	private function sent() {
		return (int) $this->held->get_connection_stats()['non_result_set_queries'];
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

			$written = self::count( $counts ) - $this->written;
			$this->statements->heed_error();
			$this->unseen = $this->statements->doubt || $written !== $this->statements->seen;
		}
		return $this->unseen;
	}
}
