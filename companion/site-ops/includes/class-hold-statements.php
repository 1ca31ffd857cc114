<?php
/**
 * Reading the SQL of a held call.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** Filters $wpdb's statements: refuses what could end the transaction, and notes which rows the others may change. */
final class Hold_Statements {

	/** Statements that change no row and end no transaction. */
	const READS = array( 'SELECT', 'SHOW', 'DESCRIBE', 'DESC', 'EXPLAIN', 'SAVEPOINT', 'RELEASE', 'SET', 'USE', 'DO' );

	const WRITES = array( 'INSERT', 'REPLACE', 'UPDATE', 'DELETE' );

	/** Rows that one statement may name before the whole table is compared. */
	const ROWS_MAX = 500;

	/**
	 * What may have been changed: table => keys, new (rows with larger numbers), full (the whole table).
	 *
	 * @var array[]
	 */
	public $touched = array();

	/**
	 * How many statements that write were seen.
	 *
	 * @var int
	 */
	public $seen = 0;

	/**
	 * Whether a statement that was seen may not have been run.
	 *
	 * @var bool
	 */
	public $doubt = false;

	/**
	 * The database.
	 *
	 * @var Hold_Link
	 */
	private $db;

	/**
	 * Transactions that the tool began inside ours.
	 *
	 * @var int
	 */
	private $level = 0;

	/**
	 * Reads what is sent to a database.
	 *
	 * @param Hold_Link $db The database.
	 */
	public function __construct( Hold_Link $db ) {
		$this->db = $db;
	}

	/**
	 * Filters `query`.
	 *
	 * @param string $sql The statement.
	 * @return string The statement to be run.
	 */
	public function query( $sql ) {
		if ( $this->db->is_busy() ) {
			return $sql;
		}
		$verb = preg_match( '/^[\s(]*(?:\/\*(?!!).*?\*\/[\s(]*)*(\w+)/s', $sql, $found ) ? strtoupper( $found[1] ) : '';
		if ( ! Hold::is_held() ) {
			return in_array( $verb, self::READS, true ) ? $sql : $this->db->refused();
		}
		if ( ! $this->db->is_same() ) {
			return $this->refuse( __( 'a statement to another connection', 'site-ops' ) );
		}
		$this->heed_error();
		if ( in_array( $verb, array( 'BEGIN', 'START', 'COMMIT', 'ROLLBACK' ), true ) ) {
			return $this->nest( $verb, $sql );
		}
		if ( in_array( $verb, self::WRITES, true ) ) {
			return $this->write( $verb, $sql );
		}
		$reads = in_array( $verb, self::READS, true ) && ! preg_match( '/\bINTO\s+(OUTFILE|DUMPFILE)\b/i', $sql );
		return $reads || preg_match( '/^\s*CREATE\s+TEMPORARY\b/i', $sql ) ? $sql : $this->refuse( $sql );
	}

	/** A statement that failed may not have been counted by the server. */
	public function heed_error() {
		global $wpdb;
		if ( '' !== (string) $wpdb->last_error ) {
			$this->doubt = true;
		}
	}

	/**
	 * What may have been changed of a table.
	 *
	 * @param string $table Its name.
	 * @param string $how   full or new; empty to note only that there is something.
	 */
	public function touch( $table, $how = '' ) {
		if ( ! isset( $this->touched[ $table ] ) ) {
			$this->touched[ $table ] = array(
				'keys' => array(),
				'new'  => false,
				'full' => false,
			);
		}
		if ( '' !== $how ) {
			$this->touched[ $table ][ $how ] = true;
		}
	}

	/**
	 * Refuses a statement.
	 *
	 * @param string $sql The statement.
	 * @return string
	 */
	private function refuse( $sql ) {
		Hold_Outside::note( 'other', 'Refused: ' . substr( trim( $sql ), 0, 120 ) );
		return $this->db->refused();
	}

	/**
	 * Transactions of the tool become parts of ours.
	 *
	 * @param string $verb BEGIN, START, COMMIT or ROLLBACK.
	 * @param string $sql  The statement.
	 * @return string
	 */
	private function nest( $verb, $sql ) {
		if ( preg_match( '/^\s*ROLLBACK\s+(WORK\s+)?TO\b/i', $sql ) ) {
			return $sql;
		}
		if ( 'BEGIN' === $verb || 'START' === $verb ) {
			return $this->db->nested( 'begin', ++$this->level );
		}
		if ( 0 === $this->level ) {
			return $this->refuse( $sql );
		}
		return $this->db->nested( strtolower( $verb ), $this->level-- );
	}

	/**
	 * Notes what a statement may change.
	 *
	 * @param string $verb Its first word.
	 * @param string $sql  The statement.
	 * @return string
	 */
	private function write( $verb, $sql ) {
		if ( ! $this->db->needs_statements() ) {
			return $sql;
		}
		list( $bare, $texts ) = self::without_texts( $sql );

		$name = '`?(?:\w+`?\.`?)?(\w+)`?';
		$more = '(\s*,|\s+(?:AS\s+)?(?!SET|WHERE|VALUES|VALUE|SELECT|ORDER|LIMIT|ON)\w+\b(?!\s*\())?';
		$head = '/^[\s(]*(?:\/\*.*?\*\/\s*)*(?:INSERT|REPLACE|UPDATE|DELETE)\s+(?:LOW_PRIORITY\s+|DELAYED\s+|HIGH_PRIORITY\s+|QUICK\s+|IGNORE\s+)*(?:INTO\s+|FROM\s+)?';
		++$this->seen;
		if ( null === $bare || ! preg_match( $head . $name . $more . '/is', $bare, $found ) || ! $this->db->has_table( $found[1] ) ) {
			return $this->write_many( $sql, null === $bare ? $sql : $bare );
		}
		$table = $found[1];
		$shape = $this->db->shape( $table );
		if ( ! $shape['transactional'] ) {
			--$this->seen;
			return $this->refuse( $sql );
		}
		$this->touch( $table );
		if ( ! empty( $found[2] ) || array() === $shape['key'] ) {
			$this->touch( $table, 'full' );
		} elseif ( 'INSERT' === $verb && null !== $shape['auto'] && ! preg_match( '/ON\s+DUPLICATE\s+KEY/i', $bare ) && ! preg_match( '/\b' . $shape['auto'] . '\b/', strtok( $bare, ')' ) ) ) {
			$this->touch( $table, 'new' );
		} elseif ( 'INSERT' === $verb || 'REPLACE' === $verb ) {
			$this->touch( $table, 'full' );
		} else {
			$this->write_where( $table, $shape, $verb, $bare, $texts );
		}
		return $sql;
	}

	/**
	 * A statement with nothing in its quotes.
	 *
	 * @param string $sql The statement.
	 * @return array The statement, null where its quotes are not understood; and the texts, quotes included.
	 */
	private static function without_texts( $sql ) {
		$texts = array();
		$bare  = preg_replace_callback(
			"/'(?:[^'\\\\]++|\\\\.|'')*+'|\"(?:[^\"\\\\]++|\\\\.|\"\")*+\"/s",
			static function ( $text ) use ( &$texts ) {
				$texts[] = $text[0];
				return "''";
			},
			$sql
		);
		return array( null !== $bare && substr_count( $bare, "''" ) === count( $texts ) ? $bare : null, $texts );
	}

	/**
	 * The end of a statement, with its texts.
	 *
	 * @param string   $bare  The statement without its texts.
	 * @param string[] $texts Its texts.
	 * @param int      $from  Where the end begins.
	 * @return string
	 */
	private static function with_texts( $bare, array $texts, $from ) {
		$at = substr_count( substr( $bare, 0, $from ), "''" );
		return preg_replace_callback(
			"/''/",
			static function () use ( $texts, &$at ) {
				return $texts[ $at++ ];
			},
			substr( $bare, $from )
		);
	}

	/**
	 * Joins, aliases, other databases: all tables named in a statement are compared as wholes.
	 *
	 * @param string $sql  The statement.
	 * @param string $bare The same without its texts.
	 * @return string
	 */
	private function write_many( $sql, $bare ) {
		$named = false;
		foreach ( $this->db->tables() as $table ) {
			if ( preg_match( '/\b' . preg_quote( $table, '/' ) . '\b/', $bare ) ) {
				if ( ! $this->db->shape( $table )['transactional'] ) {
					--$this->seen;
					return $this->refuse( $sql );
				}
				$this->touch( $table, 'full' );
				$named = true;
			}
		}
		if ( ! $named ) {
			--$this->seen;
			return $this->refuse( $sql );
		}
		return $sql;
	}

	/**
	 * Finds the rows that an UPDATE or DELETE names.
	 *
	 * @param string   $table Its table.
	 * @param array    $shape Its shape.
	 * @param string   $verb  UPDATE or DELETE.
	 * @param string   $bare  The statement without its texts.
	 * @param string[] $texts Its texts.
	 */
	private function write_where( $table, array $shape, $verb, $bare, array $texts ) {
		$key    = $shape['key'];
		$simple = preg_match( '/\bWHERE\b/i', $bare, $where, PREG_OFFSET_CAPTURE ) && ! preg_match( '/\b(SELECT|LIMIT|RAND|UUID|SLEEP|LAST_INSERT_ID)\b|@/i', $bare );
		// A key itself may be set.
		$sets  = 'UPDATE' === $verb && preg_match( '/\bSET\b(.*?)\bWHERE\b/is', $bare, $set ) && preg_match( '/\b(' . implode( '|', $key ) . ')`?\s*=/i', $set[1] );
		$found = $simple && ! $sets && ! $this->touched[ $table ]['full'] ? $this->named( $table, $shape, self::with_texts( $bare, $texts, $where[0][1] ) ) : null;
		if ( null === $found || count( $found ) > self::ROWS_MAX ) {
			$this->touch( $table, 'full' );
			return;
		}
		foreach ( $found as $row ) {
			$values = array_values( $row );
			$this->touched[ $table ]['keys'][ implode( "\0", $values ) ] = $values;
		}
	}

	/**
	 * The keys of the rows that a condition names. A whole number that is the key of one row need not be looked for.
	 *
	 * @param string $table Their table.
	 * @param array  $shape Its shape.
	 * @param string $where The condition, from WHERE on.
	 * @return array[]|null Null where they could not be read.
	 */
	private function named( $table, array $shape, $where ) {
		$is_one = array( $shape['auto'] ) === $shape['key']
			&& preg_match( '/^WHERE\s+`?' . preg_quote( $shape['auto'], '/' ) . '`?\s*=\s*(\d{1,18})\s*;?\s*$/iD', $where, $number );
		return $is_one ? array( array( (string) (int) $number[1] ) ) : $this->db->find( $table, $where, self::ROWS_MAX + 1 );
	}
}
