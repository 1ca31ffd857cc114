<?php
/**
 * The database of a held call.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** A database in which a transaction runs that the tool cannot commit. */
abstract class Hold_Link {

	/**
	 * Whether a reading of ours went wrong, so that not every change is known.
	 *
	 * @var bool
	 */
	public $failed = false;

	/**
	 * Reads the tool's statements.
	 *
	 * @var Hold_Statements
	 */
	public $statements;

	/**
	 * Whether a statement is ours.
	 *
	 * @var bool
	 */
	protected $busy = false;

	/**
	 * Shapes of the tables that were asked for.
	 *
	 * @var array[]
	 */
	private $shapes = array();

	/** Makes the reader of statements. */
	public function __construct() {
		$this->statements = new Hold_Statements( $this );
	}

	/**
	 * Keeps other held calls out.
	 *
	 * @param string $id      Id of this call.
	 * @param int    $seconds How long another one is waited for.
	 * @return bool Whether this one may go on.
	 */
	abstract public function lock( $id, $seconds );

	/**
	 * Begins the transaction.
	 *
	 * @param int $seconds How long others are waited for.
	 * @return WP_Error|null Why it cannot be.
	 */
	abstract public function begin( $seconds );

	/**
	 * Whether something was or may have been written past the transaction; called before rows().
	 *
	 * @return string|null What.
	 */
	abstract public function escaped();

	/**
	 * Ends the transaction.
	 *
	 * @param string|null $receipt INSERT of the receipt; null takes everything back.
	 * @return bool Whether it was committed, or taken back, as asked.
	 */
	abstract public function end( $receipt );

	/** Lets nobody write on the connection any more. */
	abstract public function seal();

	/**
	 * A statement inside the tool's own transaction, which is a part of ours.
	 *
	 * @param string $what  begin, commit or rollback.
	 * @param int    $level How deep.
	 * @return string
	 */
	abstract public function nested( $what, $level );

	/**
	 * What is run in place of a refused statement: something that $wpdb answers with false.
	 *
	 * @return string
	 */
	abstract public function refused();

	/**
	 * Whether $wpdb still has the connection that is held.
	 *
	 * @return bool
	 */
	abstract public function is_same();

	/**
	 * Whether the rows are found by the statements; else the database tells them.
	 *
	 * @return bool
	 */
	abstract public function needs_statements();

	/**
	 * Every table.
	 *
	 * @return string[]
	 */
	abstract public function tables();

	/**
	 * A text in quotes.
	 *
	 * @param string $text The text.
	 * @return string
	 */
	abstract public function quote( $text );

	/**
	 * Rows as the held call sees them.
	 *
	 * @param string $sql A SELECT.
	 * @return array[]
	 */
	abstract protected function now( $sql );

	/**
	 * Rows as they were before the call.
	 *
	 * @param string $sql A SELECT.
	 * @return array[]
	 */
	abstract protected function was( $sql );

	/**
	 * The same rows on both sides.
	 *
	 * @param string $sql A SELECT.
	 * @return array Rows as they were, and as the held call sees them.
	 */
	protected function sides( $sql ) {
		return array( $this->was( $sql ), $this->now( $sql ) );
	}

	/**
	 * Reads what is committed by now, by was().
	 *
	 * @return bool Whether there is anything to be looked at again.
	 */
	abstract protected function renew();

	/**
	 * Columns, key, auto (the column that counts up, or null) and transactional of a table.
	 *
	 * @param string $table Its name.
	 * @return array
	 */
	abstract protected function read_shape( $table );

	/**
	 * An expression that differs where one of the columns differs.
	 *
	 * @param string[] $columns Their names.
	 * @return string
	 */
	abstract protected function sum( array $columns );

	/** Completes what the statements say: what the database changes by itself, and what went past them. */
	abstract protected function complete();

	/**
	 * Whether a statement of ours is running.
	 *
	 * @return bool
	 */
	public function is_busy() {
		return $this->busy;
	}

	/**
	 * Does something of ours that $wpdb is needed for.
	 *
	 * @param callable $act What.
	 */
	public function freely( $act ) {
		$this->busy = true;
		$act();
		$this->busy = false;
	}

	/**
	 * Whether there is such a table.
	 *
	 * @param string $table Its name.
	 * @return bool
	 */
	public function has_table( $table ) {
		return in_array( $table, $this->tables(), true );
	}

	/**
	 * The shape of a table, as read_shape() gives it.
	 *
	 * @param string $table Its name.
	 * @return array
	 */
	public function shape( $table ) {
		if ( ! isset( $this->shapes[ $table ] ) ) {
			$this->shapes[ $table ] = $this->read_shape( $table );
		}
		return $this->shapes[ $table ];
	}

	/**
	 * The keys of the rows that a condition names, as the held call sees them.
	 *
	 * @param string $table Its table.
	 * @param string $where The condition, from WHERE on.
	 * @param int    $limit How many at most.
	 * @return array[]|null Null where they could not be read.
	 */
	public function find( $table, $where, $limit ) {
		$failed       = $this->failed;
		$this->failed = false;
		$found        = $this->now( 'SELECT ' . $this->columns( $this->shape( $table )['key'] ) . " FROM `$table` $where LIMIT $limit" );
		$done         = ! $this->failed;
		$this->failed = $failed;
		return $done ? $found : null;
	}

	/**
	 * Rows as the held call sees them.
	 *
	 * @param string $sql A SELECT of ours.
	 * @return array[]
	 */
	public function read( $sql ) {
		return $this->now( $sql );
	}

	/**
	 * Names of columns for a statement.
	 *
	 * @param string[] $names Their names.
	 * @return string
	 */
	protected function columns( array $names ) {
		return '`' . implode( '`,`', $names ) . '`';
	}
}
