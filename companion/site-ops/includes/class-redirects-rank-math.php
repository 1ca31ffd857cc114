<?php
/**
 * Redirects kept by Rank Math.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** Rank Math's table, through Rank Math's own classes. It keeps patterns without the slash in front. */
final class Redirects_Rank_Math extends Redirect_Store {

	const ITEM  = 'RankMath\Redirections\Redirection';
	const TABLE = 'RankMath\Redirections\DB';
	const CACHE = 'RankMath\Redirections\Cache';

	/** What of a redirect is written, and which of it says where it leads. */
	const COLUMNS     = array( 'sources', 'url_to', 'header_code', 'status' );
	const DESTINATION = 'rank_math.url_to';

	/** How many redirects are asked for at once: a visitor may wait for them, in unless_back(). */
	const ROWS = 1000;

	/** {@inheritDoc} */
	public function id() {
		return 'rankmath';
	}

	/** {@inheritDoc} */
	public function find( $source ) {
		$path = trim( $source, '/' );
		if ( '' === $path ) {
			// Rank Math has none from the home page; asked without a path it would give all there are.
			return null;
		}
		// Rank Math tells capitals from small letters when it searches, and not when it leads visitors.
		$row = $this->search( $path, $source );
		return null === $row ? $this->search( '', $source ) : $row;
	}

	/**
	 * The redirect from a path, among those that hold a text.
	 *
	 * @param string $text   The text; an empty one is in all of them.
	 * @param string $source A path as Redirect_Rules::source() gives it.
	 * @return array|null
	 */
	private function search( $text, $source ) {
		$page = 0;
		do {
			$asked = array(
				'search' => $text,
				'status' => 'active',
				'limit'  => self::ROWS,
				'paged'  => ++$page,
			);
			$found = $this->ask( $asked );
			foreach ( $found['rows'] as $row ) {
				if ( Redirect_Rules::key( $row['source'] ) === Redirect_Rules::key( $source ) ) {
					return $row;
				}
			}
		} while ( $page * self::ROWS < $found['total'] );
		return null;
	}

	/**
	 * By what Rank Math remembers of a visitor's path, else by its own comparison: the rule changed last goes first, whether
	 * it is an exact one or a pattern.
	 */
	public function match( $path ) {
		$uri = trim( $path, '/' );
		if ( '' === $uri || ! is_callable( array( self::TABLE, 'match_redirections' ) ) ) {
			return $this->find( $path );
		}
		$rule = self::remembered( $uri );
		$rule = null === $rule ? call_user_func( array( self::TABLE, 'match_redirections' ), $uri ) : $rule;
		if ( ! is_array( $rule ) || ! isset( $rule['sources'], $rule['header_code'] ) ) {
			return null;
		}
		$gone = in_array( (int) $rule['header_code'], array( 410, 451 ), true );
		return self::row( $rule['id'], $path, $gone ? '' : self::filled( $rule, $uri ), $rule['header_code'] );
	}

	/**
	 * The rule that Rank Math led the last visitor of a path by, and leads the next one by without comparing (from_cache()
	 * in its class-redirector.php, 1.0.273); null where it compares.
	 *
	 * @param string $uri A path without slashes at its ends.
	 * @return array|null
	 */
	private static function remembered( $uri ) {
		$asked = array( self::CACHE, 'get_by_object_id_or_url' );
		$rows  = is_callable( $asked ) ? call_user_func( $asked, 0, 'none', $uri ) : array();
		$row   = is_array( $rows ) && $rows ? (array) $rows[0] : array();
		if ( ! isset( $row['redirection_id'] ) ) {
			return null;
		}
		$rule = call_user_func( array( self::TABLE, 'get_redirection_by_id' ), $row['redirection_id'], 'active' );
		$fits = is_array( $rule ) && isset( $rule['sources'] )
			&& call_user_func( array( self::TABLE, 'compare_sources' ), maybe_unserialize( $rule['sources'] ), $uri );
		return $fits ? $rule : null;
	}

	/**
	 * Where a rule leads from a path: parts of the path take their places in it (set_redirect_to_regex() in Rank Math's
	 * class-redirector.php, 1.0.273).
	 *
	 * @param array  $rule A rule as Rank Math keeps it.
	 * @param string $uri  A path without slashes at its ends.
	 * @return string
	 */
	private static function filled( array $rule, $uri ) {
		$to = (string) $rule['url_to'];
		foreach ( (array) maybe_unserialize( $rule['sources'] ) as $source ) {
			if ( ! isset( $source['pattern'], $source['comparison'] ) || 'regex' !== $source['comparison'] ) {
				continue;
			}
			$pattern = call_user_func( array( self::TABLE, 'get_clean_pattern' ), $source['pattern'], 'regex' );
			// phpcs:ignore WordPress.PHP.NoSilencedErrors -- a pattern of somebody else's may be broken.
			$filled = @preg_match( $pattern, $uri ) ? @preg_replace( $pattern, $to, $uri ) : null;
			$to     = null === $filled ? $to : $filled;
		}
		return $to;
	}

	/** {@inheritDoc} */
	public function page( $page, $per_page ) {
		return $this->ask(
			array(
				'paged'   => $page,
				'limit'   => $per_page,
				'status'  => 'active',
				'orderby' => 'id',
				'order'   => 'ASC',
			)
		);
	}

	/** {@inheritDoc} */
	public function save( $found, $source, $destination, $status ) {
		$led    = $this->match( $source );
		$shared = $found ? self::without( $found['id'], $source ) : null;
		$item   = call_user_func(
			array( self::ITEM, 'from' ),
			array(
				'id'          => $found && ! $shared ? $found['id'] : 0,
				'sources'     => array(
					array(
						'pattern'    => $source,
						'comparison' => 'exact',
						'ignore'     => 'case',
					),
				),
				'url_to'      => Redirect_Rules::absolute( $destination ),
				'header_code' => (string) $status,
				'status'      => 'active',
			)
		);
		$id     = $item->save();
		if ( ! $id ) {
			return Errors::make( 'seo_provider_missing', __( 'Rank Math did not take the redirect', 'site-ops' ) );
		}
		if ( $shared ) {
			call_user_func( array( self::TABLE, 'update' ), $shared );
		}
		if ( $led && (int) $id !== $led['id'] && is_callable( array( self::CACHE, 'purge' ) ) ) {
			// What Rank Math remembers would go before the newer rule.
			call_user_func( array( self::CACHE, 'purge' ), $led['id'] );
		}
		return (int) $id;
	}

	/** Of one that has no other sources: a change of another makes a second one. */
	public function rows_of( array $row ) {
		$record = call_user_func( array( self::TABLE, 'get_redirection_by_id' ), $row['id'] );
		$rows   = array();
		foreach ( is_array( $record ) && ! self::without( $row['id'], $row['source'] ) ? self::COLUMNS : array() as $name ) {
			$value                        = 'sources' === $name ? maybe_unserialize( $record[ $name ] ) : (string) $record[ $name ];
			$rows[ 'rank_math.' . $name ] = array(
				'of'     => 'rank_math.' . $name,
				'values' => array( is_string( $value ) ? $value : Json::text( $value ) ),
			);
		}
		return $rows;
	}

	/** {@inheritDoc} */
	public function put( $id, array $rows ) {
		$record = call_user_func( array( self::TABLE, 'get_redirection_by_id' ), $id );
		foreach ( $rows as $name => $values ) {
			$name            = substr( $name, strlen( 'rank_math.' ) );
			$record[ $name ] = 'sources' === $name ? json_decode( $values[0], true ) : $values[0];
		}
		$record['sources'] = maybe_unserialize( $record['sources'] );
		call_user_func( array( self::TABLE, 'update' ), array_intersect_key( $record, array_flip( array_merge( array( 'id' ), self::COLUMNS ) ) ) );
		if ( is_callable( array( self::CACHE, 'purge' ) ) ) {
			call_user_func( array( self::CACHE, 'purge' ), $id );
		}
	}

	/**
	 * A redirect as Rank Math keeps it, without one of its sources; null where it has no others. Saved with a new
	 * destination they would be lost.
	 *
	 * @param int    $id     Number of the redirect.
	 * @param string $source A path as Redirect_Rules::source() gives it.
	 * @return array|null
	 */
	private static function without( $id, $source ) {
		$record = call_user_func( array( self::TABLE, 'get_redirection_by_id' ), $id );
		$others = array();
		foreach ( is_array( $record ) ? (array) $record['sources'] : array() as $one ) {
			if ( ! self::is_exact( $one ) || Redirect_Rules::key( self::path( $one ) ) !== Redirect_Rules::key( $source ) ) {
				$others[] = $one;
			}
		}
		$kept = array( 'id', 'sources', 'url_to', 'header_code', 'status' );
		return $others ? array_intersect_key( array( 'sources' => $others ) + $record, array_flip( $kept ) ) : null;
	}

	/**
	 * Whether a source is an exact path.
	 *
	 * @param mixed $source A source as Rank Math keeps it.
	 * @return bool
	 */
	private static function is_exact( $source ) {
		return isset( $source['pattern'], $source['comparison'] ) && 'exact' === $source['comparison'];
	}

	/**
	 * The path of a source.
	 *
	 * @param array $source A source as Rank Math keeps it.
	 * @return string
	 */
	private static function path( array $source ) {
		return '/' . trim( $source['pattern'], '/' );
	}

	/**
	 * Asks Rank Math; redirects by pattern other than an exact path are left out.
	 *
	 * @param array $args What to ask for.
	 * @return array rows and total.
	 */
	private function ask( array $args ) {
		$answer = call_user_func( array( self::TABLE, 'get_redirections' ), $args );
		$rows   = array();
		foreach ( (array) $answer['redirections'] as $one ) {
			foreach ( (array) maybe_unserialize( $one['sources'] ) as $source ) {
				if ( self::is_exact( $source ) ) {
					$rows[] = self::row( $one['id'], self::path( $source ), $one['url_to'], $one['header_code'] );
				}
			}
		}
		return array(
			'rows'  => $rows,
			'total' => (int) $answer['count'],
		);
	}
}
