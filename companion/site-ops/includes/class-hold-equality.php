<?php
/**
 * Whether a held call did what its preview did.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/**
 * Compares the effects of two runs. Values may differ by numbers of new rows, by times near now that moved on as the clock
 * did, and by random names where names are written, each of which must then differ in the same way everywhere. Words and
 * numbers of a text that a tool copies from elsewhere may have been changed there by somebody meanwhile.
 */
final class Hold_Equality {

	/** How far apart two times near now may be. */
	const TIME_SECONDS = 3600;

	/** How far from the time between the two runs that may be: as long as either of them may take. */
	const RUN_SECONDS = 120;

	/** What stands before and after a name in JSON, in serialized PHP, and in longer names; nothing where it is all. */
	const BEFORE_NAME = '/(^|["\'_-])$/D';
	const AFTER_NAME  = '/^($|\\\\?["\']|[_-]|\.\w)/';

	/** Numbers above this are times. */
	const TIME_MIN = 1600000000;

	/** Random names have at least so many characters. */
	const RANDOM_MIN = 6;

	/** Columns of new users that nobody can foresee. */
	const FRESH_SECRETS = array( 'user_pass', 'user_activation_key' );

	/**
	 * Words of the second run by those of the first, and the other way round.
	 *
	 * @var array[]
	 */
	private $map = array( array(), array() );

	/**
	 * Numbers of rows that the second run made, by those of the same rows in the first. Rows of several tables may have had
	 * the same number.
	 *
	 * @var bool[][]
	 */
	private $numbers = array();

	/**
	 * The request, whose own words are not random.
	 *
	 * @var string
	 */
	private $request;

	/**
	 * Seconds between the two runs.
	 *
	 * @var int
	 */
	private $between = 0;

	/**
	 * Makes ready to compare.
	 *
	 * @param string $request Route and body of the request.
	 */
	public function __construct( $request ) {
		$this->request = $request;
	}

	/**
	 * What differs.
	 *
	 * @param array  $preview A dry run, as Hold_Receipts::dry() gives it.
	 * @param array  $rows    Rows of this run, as Hold_Effects::rows() gives them.
	 * @param string $outside Its effects outside the database, as Hold_Effects::outside_digest() gives them.
	 * @return string|null A sentence; null where both did the same.
	 */
	public function differing( array $preview, array $rows, $outside ) {
		if ( ! isset( $preview['effects']['outside'] ) || $preview['effects']['outside'] !== $outside ) {
			return __( 'The effects outside the database are not those of the preview', 'site-ops' );
		}
		$this->between = time() - $preview['created'];

		$before = array_map( array( __CLASS__, 'without_touched' ), $preview['rows'] );
		$now    = array_map( array( __CLASS__, 'without_touched' ), $rows );
		foreach ( array_keys( $before + $now ) as $table ) {
			$was = isset( $before[ $table ] ) ? $before[ $table ] : array();
			$is  = isset( $now[ $table ] ) ? $now[ $table ] : array();
			$this->learn( $was, $is );
		}
		foreach ( array_keys( $before + $now ) as $table ) {
			$was = isset( $before[ $table ] ) ? $before[ $table ] : array();
			$is  = isset( $now[ $table ] ) ? $now[ $table ] : array();
			if ( count( $was ) !== count( $is ) ) {
				/* translators: 1: name of a table, 2: number of rows, 3: number of rows */
				return sprintf( __( '%1$s: %2$d rows would change, in the preview %3$d', 'site-ops' ), $table, count( $is ), count( $was ) );
			}
			$differing = $this->table( $table, $was, $is );
			if ( null !== $differing ) {
				return $differing;
			}
		}
		return null;
	}

	/**
	 * Rows without those of which only the time of the last change is another: within the second of the change before, a
	 * call leaves that as it is. A draft without a date of its own has the time of its last change there.
	 *
	 * @param array $rows Rows of a table.
	 * @return array
	 */
	private static function without_touched( array $rows ) {
		return array_filter(
			$rows,
			static function ( $pair ) {
				list( $before, $after ) = $pair;
				if ( null === $before || null === $after || ! isset( $before['post_modified'], $before['post_date_gmt'] ) ) {
					return true;
				}
				$times = array( 'post_modified', 'post_modified_gmt' );
				if ( '0000-00-00 00:00:00' === $before['post_date_gmt'] ) {
					$times[] = 'post_date';
				}
				return array_diff_key( $before, array_flip( $times ) ) !== array_diff_key( $after, array_flip( $times ) );
			}
		);
	}

	/**
	 * Notes the numbers of rows that were made; the rows are in the order of their keys. A key of several numbers names other
	 * tables' rows.
	 *
	 * @param array $was Rows of a table in the preview.
	 * @param array $is  Rows of the table in this run.
	 */
	private function learn( array $was, array $is ) {
		$keys = array_keys( $is );
		foreach ( array_keys( $was ) as $at => $old ) {
			$key = isset( $keys[ $at ] ) ? $keys[ $at ] : null;
			if ( null !== $key && null === $was[ $old ][0] && null === $is[ $key ][0] && ctype_digit( "$old$key" ) ) {
				$this->numbers[ $old ][ $key ] = true;
			}
		}
	}

	/**
	 * What differs in a table; the rows are in the order of their keys.
	 *
	 * @param string $table Its name.
	 * @param array  $was   Rows of the preview.
	 * @param array  $is    Rows of this run.
	 * @return string|null
	 */
	private function table( $table, array $was, array $is ) {
		$keys = array_keys( $is );
		foreach ( array_keys( $was ) as $at => $old ) {
			$key  = (string) $keys[ $at ];
			$pair = array( $was[ $old ], $is[ $keys[ $at ] ] );
			foreach ( array( 0, 1 ) as $side ) {
				list( $one, $other ) = array( $pair[0][ $side ], $pair[1][ $side ] );
				if ( ( null === $one ) !== ( null === $other ) || ( 0 === $side && null !== $one && (string) $old !== $key ) ) {
					/* translators: 1: name of a table, 2: key of a row */
					return sprintf( __( '%1$s %2$s: the preview changed other rows', 'site-ops' ), $table, $key );
				}
				$column = null === $one ? null : $this->column( $one, $other, 1 === $side, null === $pair[0][0] );
				if ( null !== $column ) {
					/* translators: 1: name of a table, 2: key of a row, 3: name of a column */
					return sprintf( __( '%1$s %2$s: %3$s is not what it was in the preview', 'site-ops' ), $table, $key, $column );
				}
			}
		}
		return null;
	}

	/**
	 * The first column in which two rows differ.
	 *
	 * @param array $one   Row of the preview.
	 * @param array $other Row of this run.
	 * @param bool  $after Whether these are rows after the call: those before must be the same.
	 * @param bool  $made  Whether the call made the row.
	 * @return string|null
	 */
	private function column( array $one, array $other, $after, $made ) {
		if ( array_keys( $one ) !== array_keys( $other ) ) {
			return '*';
		}
		foreach ( $one as $column => $value ) {
			$same = $value === $other[ $column ]
				? ! $after || $this->is_alike( (string) $value, (string) $value )
				: $after && null !== $value && null !== $other[ $column ]
					&& ( ( $made && in_array( $column, self::FRESH_SECRETS, true ) ) || $this->is_alike( $value, $other[ $column ] ) );
			if ( ! $same ) {
				return $column;
			}
		}
		return null;
	}

	/**
	 * Whether two values differ by nothing that had to differ.
	 *
	 * @param string $one   Value of the preview.
	 * @param string $other Value of this run.
	 * @return bool
	 */
	private function is_alike( $one, $other ) {
		if ( $one === $other && array() === $this->map[0] && array() === $this->numbers ) {
			return true;
		}
		$words = '/([0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9:]{8}|[A-Za-z0-9]+)/';
		$one   = preg_split( $words, $one, -1, PREG_SPLIT_DELIM_CAPTURE );
		$other = preg_split( $words, $other, -1, PREG_SPLIT_DELIM_CAPTURE );
		if ( count( $one ) !== count( $other ) ) {
			return false;
		}
		foreach ( $one as $at => $word ) {
			$is_id   = $at > 1 && 'id' === $one[ $at - 2 ] && '":"' === $one[ $at - 1 ];
			$is_name = 1 === $at % 2 && preg_match( self::BEFORE_NAME, $one[ $at - 1 ] ) && preg_match( self::AFTER_NAME, $one[ $at + 1 ] );
			if ( ! $this->is_word_alike( $word, $other[ $at ], $is_id, $is_name ) ) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Whether one word stands for the other.
	 *
	 * @param string $one     Word of the preview.
	 * @param string $other   Word of this run.
	 * @param bool   $is_id   Whether JSON has it as an id.
	 * @param bool   $is_name Whether it is written where names are, and not among the words of a text.
	 * @return bool
	 */
	private function is_word_alike( $one, $other, $is_id, $is_name ) {
		if ( isset( $this->numbers[ $one ][ $other ] ) ) {
			return true;
		}
		if ( isset( $this->map[0][ $one ] ) || isset( $this->map[1][ $other ] ) ) {
			return isset( $this->map[0][ $one ], $this->map[1][ $other ] ) && $this->map[0][ $one ] === $other && $this->map[1][ $other ] === $one;
		}
		if ( $one === $other ) {
			// Small numbers occur by themselves beside their being numbers of rows.
			return ! isset( $this->numbers[ $one ] ) || strlen( $one ) < self::RANDOM_MIN;
		}
		if ( $this->is_time_alike( $one, $other ) ) {
			return true;
		}
		if ( ! $is_name || ! $this->is_random( $one, $other, $is_id ) ) {
			return false;
		}
		$this->map[0][ $one ]   = $other;
		$this->map[1][ $other ] = $one;
		return true;
	}

	/**
	 * Whether both are times near now, as far apart as the two runs.
	 *
	 * @param string $one   Word of the preview.
	 * @param string $other Word of this run.
	 * @return bool
	 */
	private function is_time_alike( $one, $other ) {
		$times = array();
		foreach ( array( $one, $other ) as $word ) {
			$is_date = 1 === preg_match( '/^\d{4}-\d\d-\d\d[ T]/', $word );
			if ( ! $is_date && ( ! ctype_digit( $word ) || strlen( $word ) !== 10 || (int) $word < self::TIME_MIN ) ) {
				return false;
			}
			$times[] = $is_date ? strtotime( $word . ' UTC' ) : (int) $word;
		}
		// The site's own time may be up to fourteen hours off.
		$near  = abs( $times[1] - time() ) < 14 * HOUR_IN_SECONDS + self::TIME_SECONDS;
		$moved = $times[1] - $times[0];
		return $near && abs( $moved ) < self::TIME_SECONDS && abs( $moved - $this->between ) < self::RUN_SECONDS;
	}

	/**
	 * Whether both look random, and neither was asked for.
	 *
	 * @param string $one   Word of the preview.
	 * @param string $other Word of this run.
	 * @param bool   $is_id Whether JSON has it as an id: of seven random hexadecimal digits, now and then all are decimal ones.
	 * @return bool
	 */
	private function is_random( $one, $other, $is_id ) {
		$length = strlen( $one );
		if ( strlen( $other ) !== $length || $length < self::RANDOM_MIN || ( ! $is_id && ctype_digit( $one ) && ctype_digit( $other ) ) ) {
			return false;
		}
		$hex   = ctype_xdigit( $one ) && ctype_xdigit( $other ) && strtolower( $one . $other ) === $one . $other && preg_match( '/\d/', $one . $other );
		$mixed = $length >= 8 && preg_match( '/\d/', $one ) && preg_match( '/\d/', $other ) && preg_match( '/[a-z]/i', $one ) && preg_match( '/[a-z]/i', $other );
		return ( $hex || $mixed ) && false === strpos( $this->request, $one ) && false === strpos( $this->request, $other );
	}
}
