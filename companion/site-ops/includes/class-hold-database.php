<?php
/**
 * The rows that a held call changed.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** Tells the rows of a held call before and after. */
abstract class Hold_Database extends Hold_Link {

	/** Rows that are read at once. */
	const ROWS_AT_ONCE = 200;

	/**
	 * The row that somebody else changed meanwhile.
	 *
	 * @var string|null
	 */
	public $meanwhile = null;

	/**
	 * Rows whose state was read, to be read once more: where, key and rows by table.
	 *
	 * @var array[]
	 */
	private $asked = array();

	/**
	 * What the largest number was, by table.
	 *
	 * @var int[]
	 */
	private $ends = array();

	/**
	 * Every row that was changed.
	 *
	 * @return array array( table => array( key => array( row before or null, row after or null ) ) )
	 */
	public function rows() {
		$this->busy = true;
		$this->complete();
		$all = array();
		foreach ( $this->statements->touched as $table => $mark ) {
			$shape = $this->shape( $table );
			$rows  = array() === $shape['key'] ? $this->compare_keyless( $table ) : $this->compare_touched( $table, $shape, $mark );
			if ( $rows ) {
				uksort( $rows, 'strnatcmp' );
				$all[ $table ] = $rows;
			}
		}
		ksort( $all );
		$this->look_again( $all );
		$this->busy = false;
		return $all;
	}

	/** Reads what the largest numbers were of the tables that got new rows; rows() needs them. */
	protected function read_ends() {
		$ends = array();
		foreach ( $this->statements->touched as $table => $mark ) {
			if ( $mark['new'] && ! $mark['full'] ) {
				$ends[ $table ] = "( SELECT MAX(`{$this->shape( $table )['auto']}`) FROM `$table` )";
			}
		}
		$this->ends = array_fill_keys( array_keys( $ends ), 0 );
		$found      = $ends ? $this->was( 'SELECT ' . implode( ', ', $ends ) ) : array();
		if ( $found ) {
			$this->ends = array_combine( array_keys( $ends ), array_map( 'intval', array_values( $found[0] ) ) );
		}
	}

	/**
	 * Which of the rows differ that the statements touched.
	 *
	 * @param string $table Their table.
	 * @param array  $shape Its shape.
	 * @param array  $mark  What is known, as Hold_Statements::$touched has it.
	 * @return array[]
	 */
	private function compare_touched( $table, array $shape, array $mark ) {
		$keys = $mark['full'] ? $mark['keys'] + $this->differing_keys( $table, $shape ) : $mark['keys'];
		$any  = array();
		foreach ( array_chunk( $keys, self::ROWS_AT_ONCE ) as $some ) {
			$any[] = $this->where( $shape['key'], $some );
		}
		if ( $mark['new'] && ! $mark['full'] ) {
			$new    = "`{$shape['auto']}` > " . $this->ends[ $table ];
			$any[0] = isset( $any[0] ) ? "$new OR $any[0]" : $new;
		}
		$changed = array();
		foreach ( $any as $where ) {
			$changed += $this->compare_where( $table, $shape['key'], $where );
		}
		return $changed;
	}

	/**
	 * The keys of the rows of a whole table that differ.
	 *
	 * @param string $table Its name.
	 * @param array  $shape Its shape.
	 * @return array[] Values by a text of them.
	 */
	private function differing_keys( $table, array $shape ) {
		$sql = 'SELECT ' . $this->columns( $shape['key'] ) . ', ' . $this->sum( $shape['columns'] ) . " AS held_sum FROM `$table`";

		list( $was, $now ) = $this->sides( $sql );

		$before = $this->sums( $was );
		$after  = $this->sums( $now );
		$keys   = array();
		foreach ( $before + $after as $text => $one ) {
			if ( ! isset( $before[ $text ], $after[ $text ] ) || $before[ $text ][1] !== $after[ $text ][1] ) {
				$keys[ $text ] = $one[0];
			}
		}
		return $keys;
	}

	/**
	 * Rows of keys and sums, by their keys.
	 *
	 * @param array[] $rows The rows.
	 * @return array[] Key and sum.
	 */
	private function sums( array $rows ) {
		$found = array();
		foreach ( $rows as $row ) {
			$values = array_values( $row );
			$sum    = array_pop( $values );

			$found[ implode( "\0", $values ) ] = array( $values, $sum );
		}
		return $found;
	}

	/**
	 * Which of the rows that a condition names differ.
	 *
	 * @param string   $table Their table.
	 * @param string[] $key   Columns by which they are told apart.
	 * @param string   $where The condition.
	 * @param string   $what  What is read.
	 * @return array[]
	 */
	protected function compare_where( $table, array $key, $where, $what = '*' ) {
		$sql = "SELECT $what FROM `$table` WHERE $where";

		list( $was, $now ) = $this->sides( $sql );

		$before  = $this->by_key( $was, $key );
		$after   = $this->by_key( $now, $key );
		$changed = array();
		foreach ( array_keys( $before + $after ) as $text ) {
			$pair = array( isset( $before[ $text ] ) ? $before[ $text ] : null, isset( $after[ $text ] ) ? $after[ $text ] : null );
			if ( $pair[0] !== $pair[1] ) {
				$changed[ $text ] = $pair;
			}
		}
		if ( $changed ) {
			$this->asked[] = array( $table, $sql, $key, $before );
		}
		return $changed;
	}

	/**
	 * Which rows differ in a table without a key.
	 *
	 * @param string $table Its name.
	 * @return array[]
	 */
	private function compare_keyless( $table ) {
		$sides = array();
		foreach ( $this->sides( "SELECT * FROM `$table`" ) as $side => $rows ) {
			$counts         = array();
			$sides[ $side ] = array();
			foreach ( $rows as $row ) {
				$sum            = md5( implode( "\0", array_map( 'strval', $row ) ) );
				$counts[ $sum ] = isset( $counts[ $sum ] ) ? $counts[ $sum ] + 1 : 1;

				$sides[ $side ][ $sum . '#' . $counts[ $sum ] ] = $row;
			}
		}
		$changed = array();
		foreach ( array_diff_key( $sides[0], $sides[1] ) as $text => $row ) {
			$changed[ $text ] = array( $row, null );
		}
		foreach ( array_diff_key( $sides[1], $sides[0] ) as $text => $row ) {
			$changed[ $text ] = array( null, $row );
		}
		return $changed;
	}

	/**
	 * Rows that were written are locked since; had somebody else changed one after our picture of it, the call would have
	 * overwritten that.
	 *
	 * @param array $all What rows() found.
	 */
	private function look_again( array $all ) {
		if ( ! $this->renew() ) {
			return;
		}
		foreach ( $this->asked as list( $table, $sql, $key, $before ) ) {
			$is = $this->by_key( $this->was( $sql ), $key );
			foreach ( array_keys( $is + $before ) as $text ) {
				$same = isset( $is[ $text ], $before[ $text ] ) && $is[ $text ] === $before[ $text ];
				if ( ! $same && isset( $all[ $table ][ $text ] ) ) {
					$this->meanwhile = "$table $text";
				}
			}
		}
	}

	/**
	 * A condition that names rows.
	 *
	 * @param string[] $key  Columns of their key.
	 * @param array[]  $rows Values of these columns.
	 * @return string
	 */
	private function where( array $key, array $rows ) {
		$any = array();
		foreach ( $rows as $values ) {
			$all = array();
			foreach ( $key as $at => $column ) {
				$all[] = "`$column` = " . $this->quote( $values[ $at ] );
			}
			$any[] = '( ' . implode( ' AND ', $all ) . ' )';
		}
		return implode( ' OR ', $any );
	}

	/**
	 * Rows by their keys.
	 *
	 * @param array[]  $rows The rows.
	 * @param string[] $key  Columns of the key.
	 * @return array[]
	 */
	private function by_key( array $rows, array $key ) {
		$found = array();
		foreach ( $rows as $row ) {
			$values = array();
			foreach ( $key as $column ) {
				$values[] = $row[ $column ];
			}
			$found[ implode( ',', $values ) ] = $row;
		}
		return $found;
	}
}
