<?php
/**
 * The values that a held call changed, as they may be shown.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** Tells the columns that differ: long values around what differs, secrets not at all. */
final class Hold_Fields {

	/** Longer values are cut. */
	const BYTES_MAX = 8192;

	/** What of a long value stands before and after what differs. */
	const AROUND = 400;

	const HIDDEN = '…';

	/** Columns that are secrets wherever they are. */
	const SECRET_COLUMNS = array( 'user_pass', 'user_activation_key', 'post_password' );

	/** Names of options, meta and parts of them that are secrets. */
	const SECRET_NAME = '/pass(word|wd|phrase)|((?<![a-z])(pass|pwd)|(?-i:Pass|Pwd))([_-]|$)|secret|token|api[_-]?key|private[_-]?key|access[_-]?key|auth[_-]?key|_key$|(^|_)salt|nonce|credential|licen[cs]e|site_ops_gateways/i';

	/** The same within serialized PHP and JSON: the end of a name, and the text that follows it. */
	const SECRET_PART = '/((?:password|passwd|passphrase|(?:(?<![a-z])(?:pass|pwd)|(?-i:Pass|Pwd))(?=[_"-])|secret|token|api[_-]?key|private[_-]?key|access[_-]?key|auth[_-]?key|licen[cs]e)[\w-]*"(?:;s:\d+:|\s*:\s*)")((?:[^"\\\\]|\\\\.)+)(")/is';

	/** A text in which none of these occurs has no such part; looking for them costs less than the pattern. */
	const SECRET_HINTS = array( 'pass', 'pwd', 'secret', 'token', 'key', 'licen' );

	/** What a new row has in columns that nothing was written to. */
	const BLANK = array( '', null, '0', '0000-00-00 00:00:00' );

	/**
	 * The last long text, and as it may be shown.
	 *
	 * @var array
	 */
	private static $last = array( null, null );

	/**
	 * The columns that differ.
	 *
	 * @param string     $table  Name of the table, without prefix.
	 * @param array|null $before The row before.
	 * @param array|null $after  The row after.
	 * @return array[] name, from, to, and cut where a value is not whole.
	 */
	public static function differing( $table, $before, $after ) {
		$fields = array();
		foreach ( array_keys( $before ?? $after ) as $name ) {
			$from = $before[ $name ] ?? null;
			$to   = $after[ $name ] ?? null;
			if ( $from === $to || ( null === $before && in_array( $to, self::BLANK, true ) ) ) {
				continue;
			}
			$field    = array( 'name' => $name ) + self::shown( $table, $name, $before ?? $after, $from, $to );
			$fields[] = $field;
		}
		return $fields;
	}

	/**
	 * A value's two sides as they may be shown.
	 *
	 * @param string      $table Name of the table, without prefix.
	 * @param string      $name  Name of the column.
	 * @param array       $row   The row.
	 * @param string|null $from  The value before.
	 * @param string|null $to    The value after.
	 * @return array
	 */
	private static function shown( $table, $name, array $row, $from, $to ) {
		if ( in_array( $table, array( 'users', 'usermeta' ), true ) ) {
			return array(
				'from' => null,
				'to'   => null,
			);
		}
		if ( self::is_secret( $name, $row ) ) {
			return array(
				'from' => null === $from ? null : self::HIDDEN,
				'to'   => null === $to ? null : self::HIDDEN,
			);
		}
		return self::cut( self::readable( $from ), self::readable( $to ) );
	}

	/**
	 * Whether a column of a row is a secret.
	 *
	 * @param string $name Name of the column.
	 * @param array  $row  The row.
	 * @return bool
	 */
	private static function is_secret( $name, array $row ) {
		if ( in_array( $name, self::SECRET_COLUMNS, true ) ) {
			return true;
		}
		$named = $row['option_name'] ?? $row['meta_key'] ?? $name;
		return in_array( $name, array( 'option_value', 'meta_value', $named ), true ) && 1 === preg_match( self::SECRET_NAME, (string) $named );
	}

	/**
	 * A text that JSON can have, without the secrets in it.
	 *
	 * @param string|null $text Any text.
	 * @return string|null
	 */
	private static function readable( $text ) {
		if ( null === $text || strlen( $text ) <= self::BYTES_MAX ) {
			return null === $text ? null : self::without_secrets( $text );
		}
		// A revision has the long texts of its page once more.
		if ( $text !== self::$last[0] ) {
			self::$last = array( $text, self::without_secrets( $text ) );
		}
		return self::$last[1];
	}

	/**
	 * The same, looked through.
	 *
	 * @param string $text Any text.
	 * @return string
	 */
	private static function without_secrets( $text ) {
		if ( ! preg_match( '//u', $text ) ) {
			return 'base64:' . base64_encode( $text );
		}
		foreach ( self::SECRET_HINTS as $hint ) {
			if ( false !== stripos( $text, $hint ) ) {
				return preg_replace( self::SECRET_PART, '$1' . self::HIDDEN . '$3', $text ) ?? self::HIDDEN;
			}
		}
		return $text;
	}

	/**
	 * Two values, each cut around what differs where one is long.
	 *
	 * @param string|null $from The value before.
	 * @param string|null $to   The value after.
	 * @return array from, to, and cut.
	 */
	private static function cut( $from, $to ) {
		$long = max( strlen( (string) $from ), strlen( (string) $to ) );
		$pair = array(
			'from' => $from,
			'to'   => $to,
		);
		if ( $long <= self::BYTES_MAX ) {
			return $pair;
		}
		list( $start, $end ) = self::alike( (string) $from, (string) $to );
		foreach ( $pair as $side => $text ) {
			if ( null !== $text ) {
				$first         = max( 0, $start - self::AROUND );
				$last          = min( strlen( $text ), strlen( $text ) - $end + self::AROUND );
				$pair[ $side ] = ( $first > 0 ? '…' : '' )
					. mb_strcut( $text, $first, min( self::BYTES_MAX, $last - $first ), 'UTF-8' )
					. ( $first + min( self::BYTES_MAX, $last - $first ) < strlen( $text ) ? '…' : '' );
			}
		}
		return $pair + array( 'cut' => true );
	}

	/**
	 * How many bytes two texts have in common at their beginning, and how many further ones at their end.
	 *
	 * @param string $one   A text.
	 * @param string $other Another.
	 * @return int[]
	 */
	private static function alike( $one, $other ) {
		$least = min( strlen( $one ), strlen( $other ) );
		$start = self::most(
			$least,
			static function ( $count ) use ( $one, $other ) {
				return 0 === strncmp( $one, $other, $count );
			}
		);
		$end   = self::most(
			$least - $start,
			static function ( $count ) use ( $one, $other ) {
				return 0 === $count || 0 === substr_compare( $one, substr( $other, -$count ), -$count );
			}
		);
		return array( $start, $end );
	}

	/**
	 * The largest number up to a limit for which something holds that holds for all smaller ones too.
	 *
	 * @param int      $limit The limit.
	 * @param callable $holds Whether it holds for a number.
	 * @return int
	 */
	private static function most( $limit, $holds ) {
		$least = 0;
		while ( $least < $limit ) {
			$middle = intdiv( $least + $limit + 1, 2 );
			if ( $holds( $middle ) ) {
				$least = $middle;
			} else {
				$limit = $middle - 1;
			}
		}
		return $least;
	}
}
