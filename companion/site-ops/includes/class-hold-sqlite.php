<?php
/**
 * Holding a call on SQLite.
 *
 * @package SiteOps
 */

namespace SiteOps;

use PDO;
use PDOException;

defined( 'ABSPATH' ) || exit;

/**
 * A deferred foreign key that is not met refuses every COMMIT until it is taken away. Temporary triggers note every row
 * that the connection writes, by whatever statement.
 */
final class Hold_Sqlite extends Hold_Database {

	/** Which rows each kind of statement is noted with. */
	const SIDES = array(
		'INSERT' => array( 'new' ),
		'DELETE' => array( 'old' ),
		'UPDATE' => array( 'old', 'new' ),
	);

	/** How long to wait between two tries for the lock, in microseconds. */
	const PAUSE = 50000;

	/**
	 * The connection that is held.
	 *
	 * @var PDO
	 */
	private $held;

	/**
	 * The connection that sees what was before.
	 *
	 * @var PDO
	 */
	private $old;

	/** @var object The driver of $wpdb. */
	private $driver;

	/** @var string Secret name of our temporary tables. */
	private $guard;

	/** @var resource|null The locked file. */
	private $lock = null;

	/** @var string[]|null Every table. */
	private $names = null;

	// What these methods do is said where they are declared.
	// phpcs:disable Squiz.Commenting.FunctionComment.Missing

	public function lock( $id, $seconds ) {
		$this->lock = fopen( Hold_Host::lock_file(), 'c+e' );
		for ( $tries = $seconds * 1000000 / self::PAUSE; ! flock( $this->lock, LOCK_EX | LOCK_NB ); $tries-- ) {
			if ( $tries <= 0 ) {
				return false;
			}
			usleep( self::PAUSE );
		}
		fwrite( $this->lock, $id );
		fflush( $this->lock );
		return true;
	}

	public function begin( $seconds ) {
		global $wpdb;
		$this->driver = $wpdb->dbh;
		$this->held   = $this->driver->get_pdo();
		$this->guard  = 'g' . bin2hex( random_bytes( 8 ) );
		$options      = array(
			PDO::ATTR_ERRMODE           => PDO::ERRMODE_EXCEPTION,
			PDO::ATTR_STRINGIFY_FETCHES => true,
		);
		$this->held->setAttribute( PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION );
		$this->old = new PDO( 'sqlite:' . FQDB, null, null, $options );
		foreach ( array( 'busy_timeout = ' . (int) $seconds * 1000, 'cache_spill = OFF', 'foreign_keys = ON', 'recursive_triggers = ON' ) as $pragma ) {
			$this->now( "PRAGMA $pragma" );
		}
		$this->now( "CREATE TEMP TABLE {$this->guard}p ( i INTEGER PRIMARY KEY )" );
		$this->now( "CREATE TEMP TABLE {$this->guard}c ( p REFERENCES {$this->guard}p ( i ) DEFERRABLE INITIALLY DEFERRED )" );
		$this->now( "CREATE TEMP TABLE {$this->guard}n ( t TEXT, r INTEGER )" );
		$this->driver->begin_transaction();
		$this->now( "INSERT INTO {$this->guard}c VALUES ( 1 )" );
		// Writing keeps other writers out; nothing differs by it.
		$this->now( "UPDATE `$wpdb->options` SET autoload = autoload WHERE option_id = ( SELECT MIN( option_id ) FROM `$wpdb->options` )" );
		if ( $this->failed ) {
			$this->end( null );
			return Errors::make( 'busy', __( 'The database is being written by somebody else', 'site-ops' ) );
		}
		$this->was( 'BEGIN' );
		$this->was( "SELECT 1 FROM `$wpdb->options` LIMIT 1" );
		$this->watch();
		return $this->failed || ! $this->is_standing()
			? Errors::make( 'hold_unsupported', __( 'The database did not begin a transaction', 'site-ops' ) )
			: null;
	}

	public function escaped() {
		return $this->is_standing() ? null : __( 'the transaction was ended', 'site-ops' );
	}

	public function end( $receipt ) {
		$this->old    = null;
		$this->failed = false;
		if ( null !== $receipt ) {
			$this->now( $receipt );
			$this->now( "UPDATE temp.{$this->guard}c SET p = NULL" );
			if ( ! $this->failed ) {
				$this->now( 'COMMIT' );
			}
		}
		$kept = null !== $receipt && ! $this->failed;
		if ( ! $kept ) {
			$this->failed = false;
			$this->now( 'ROLLBACK' );
		}
		// The driver counts its transactions, and does not know that the outermost one has ended.
		$end = function () {
			$this->transaction_level = 0;
		};
		$end->call( $this->driver );
		return $kept || ( null === $receipt && ! $this->failed );
	}

	public function seal() {
		$this->now( 'PRAGMA query_only = ON' );
		flock( $this->lock, LOCK_UN );
	}

	public function nested( $what, $level ) {
		// The driver makes savepoints of them, for it knows of the outer transaction.
		return 'begin' === $what ? 'START TRANSACTION' : strtoupper( $what );
	}

	public function refused() {
		return 'SELECT * FROM site_ops_refused_while_held';
	}

	public function is_same() {
		global $wpdb;
		return $wpdb->dbh === $this->driver && $this->driver->get_pdo() === $this->held;
	}

	public function needs_statements() {
		return false;
	}

	public function tables() {
		if ( null === $this->names ) {
			$this->names = array_column( $this->was( "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'" ), 'name' );
		}
		return $this->names;
	}

	public function quote( $text ) {
		return $this->held->quote( (string) $text );
	}

	protected function now( $sql ) {
		return $this->ask( $this->held, $sql );
	}

	protected function was( $sql ) {
		return $this->ask( $this->old, $sql );
	}

	protected function renew() {
		// Nobody else can have written.
		return false;
	}

	protected function read_shape( $table ) {
		$shape = array(
			'columns'       => array(),
			'key'           => array(),
			'auto'          => null,
			'transactional' => true,
		);
		foreach ( $this->was( "PRAGMA table_info(`$table`)" ) as $column ) {
			$shape['columns'][] = $column['name'];
			if ( '0' !== $column['pk'] ) {
				$shape['key'][ (int) $column['pk'] ] = $column['name'];
			}
		}
		ksort( $shape['key'] );
		$shape['key'] = array_values( $shape['key'] );
		return $shape;
	}

	protected function sum( array $columns ) {
		return '1';
	}

	/** What the triggers noted takes the place of what the statements say; tables made or changed are rows of the schema. */
	protected function complete() {
		$this->statements->touched = array();
	}

	// phpcs:enable

	/**
	 * Every row that was changed.
	 *
	 * @return array As Hold_Database::rows().
	 */
	public function rows() {
		$this->busy = true;
		$noted      = array();
		foreach ( $this->now( "SELECT DISTINCT t, r FROM temp.{$this->guard}n" ) as $row ) {
			$noted[ $row['t'] ][] = (int) $row['r'];
		}
		$all = array();
		foreach ( $noted as $table => $numbers ) {
			$key  = $this->shape( $table )['key'];
			$rows = array();
			foreach ( array_chunk( $numbers, self::ROWS_AT_ONCE ) as $some ) {
				$where = 'rowid IN (' . implode( ',', $some ) . ')';
				$rows  = $this->joined( $rows, $this->compare_where( $table, $key ? $key : array( 'rowid' ), $where, $key ? '*' : 'rowid, *' ) );
			}
			if ( $rows ) {
				uksort( $rows, 'strnatcmp' );
				$all[ $table ] = $rows;
			}
		}
		$schema = $this->schema();
		if ( $schema ) {
			$all['schema'] = $schema;
		}
		ksort( $all );
		$this->busy = false;
		return $all;
	}

	/** Notes every row that is written, on this connection alone; the database is not touched by it. */
	private function watch() {
		foreach ( $this->tables() as $table ) {
			$name = str_replace( '`', '', $table );
			foreach ( self::SIDES as $verb => $sides ) {
				$notes = '';
				foreach ( $sides as $side ) {
					$notes .= "INSERT INTO {$this->guard}n VALUES ( '$name', $side.rowid ); ";
				}
				$this->now( "CREATE TEMP TRIGGER `{$this->guard}_{$name}_$verb` AFTER $verb ON main.`$name` BEGIN $notes END" );
			}
		}
	}

	/**
	 * A row whose number changed is found twice: once as it was, once as it is.
	 *
	 * @param array[] $rows What was found.
	 * @param array[] $more What was found besides.
	 * @return array[]
	 */
	private function joined( array $rows, array $more ) {
		foreach ( $more as $key => $pair ) {
			$rows[ $key ] = isset( $rows[ $key ] )
				? array( $rows[ $key ][0] ?? $pair[0], $rows[ $key ][1] ?? $pair[1] )
				: $pair;
		}
		return $rows;
	}

	/**
	 * Tables, indexes and triggers that were made, changed or taken away.
	 *
	 * @return array[]
	 */
	private function schema() {
		$sql     = "SELECT type || ' ' || name AS n, sql AS s FROM main.sqlite_master";
		$before  = array_column( $this->was( $sql ), 's', 'n' );
		$after   = array_column( $this->now( $sql ), 's', 'n' );
		$changed = array();
		foreach ( array_keys( $before + $after ) as $name ) {
			$was = array_key_exists( $name, $before ) ? array( 'sql' => $before[ $name ] ) : null;
			$is  = array_key_exists( $name, $after ) ? array( 'sql' => $after[ $name ] ) : null;
			if ( $was !== $is ) {
				$changed[ $name ] = array( $was, $is );
			}
		}
		return $changed;
	}

	/**
	 * Runs a statement of ours.
	 *
	 * @param PDO    $link On which connection.
	 * @param string $sql  The statement.
	 * @return array[] Its rows.
	 */
	private function ask( PDO $link, $sql ) {
		try {
			$rows = $link->query( $sql )->fetchAll( PDO::FETCH_ASSOC );
		} catch ( PDOException $error ) {
			$this->failed = true;
			return array();
		}
		foreach ( $rows as $at => $row ) {
			foreach ( $row as $column => $value ) {
				$rows[ $at ][ $column ] = null === $value ? null : (string) $value;
			}
		}
		return $rows;
	}

	/**
	 * Whether our transaction is there: only it refuses COMMIT.
	 *
	 * @return bool
	 */
	private function is_standing() {
		try {
			$this->held->query( 'COMMIT' );
			return false;
		} catch ( PDOException $error ) {
			return false !== strpos( $error->getMessage(), 'FOREIGN KEY' );
		}
	}
}
