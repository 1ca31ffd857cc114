<?php
/**
 * Where redirects are kept.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Redirects of the SEO plugin where it has them, else the plugin's own; added and changed, never taken away. */
abstract class Redirect_Store {

	/** The statuses a redirect of this store can have. */
	const STATUSES = array( 301, 302, 307, 308 );

	/** The meta keys of a redirect, and which of them holds where it leads. */
	const ROWS        = array();
	const DESTINATION = '';

	/**
	 * The store of this site.
	 *
	 * @return Redirect_Store|WP_Error An error where a provider says it has redirects and does not.
	 */
	public static function active() {
		$provider = Seo_Provider::active()->id();
		if ( 'rankmath' === $provider && Seo_Rank_Math::has_module( 'redirections' ) ) {
			if ( ! class_exists( Redirects_Rank_Math::ITEM ) || ! class_exists( Redirects_Rank_Math::TABLE ) ) {
				$said = __( 'Rank Math says its redirections are on, and they are not there: look at the plugin', 'site-ops' );
				return Errors::make( 'seo_provider_missing', $said );
			}
			return new Redirects_Rank_Math();
		}
		if ( 'seopress' === $provider && post_type_exists( Redirects_Seopress::TYPE ) ) {
			return new Redirects_Seopress();
		}
		return new Redirects_Own();
	}

	/**
	 * Who keeps the redirects: rankmath, seopress, or none for this plugin itself.
	 *
	 * @return string
	 */
	public function id() {
		return 'none';
	}

	/**
	 * The redirect from that path.
	 *
	 * @param string $source A path as Redirect_Rules::source() gives it.
	 * @return array|null id, source, destination, status.
	 */
	abstract public function find( $source );

	/**
	 * Where a visitor of that path is sent, by a redirect from it or by a pattern that it fits.
	 *
	 * @param string $path A path as Redirect_Rules::source() gives it.
	 * @return array|null id, source, destination (empty where visitors are told that nothing is there), status.
	 */
	public function resolve( $path ) {
		$row = $this->match( $path );
		return null === $row && ! $this instanceof Redirects_Own ? ( new Redirects_Own() )->find( $path ) : $row;
	}

	/**
	 * The same by the redirects of this store alone.
	 *
	 * @param string $path A path as Redirect_Rules::source() gives it.
	 * @return array|null
	 */
	public function match( $path ) {
		return $this->find( $path );
	}

	/**
	 * The redirect from that path in force, also one that was set before the SEO plugin had redirects of its own.
	 *
	 * @param string $source A path as Redirect_Rules::source() gives it.
	 * @return array|null
	 */
	public function in_force( $source ) {
		$row = $this->find( $source );
		$row = $row && '' === $row['destination'] ? null : $row;
		return null === $row && ! $this instanceof Redirects_Own ? ( new Redirects_Own() )->find( $source ) : $row;
	}

	/**
	 * One page of all redirects.
	 *
	 * @param int $page     Number of the page, from 1.
	 * @param int $per_page Rows a page.
	 * @return array rows and total.
	 */
	abstract public function page( $page, $per_page );

	/**
	 * Stores a redirect.
	 *
	 * @param array|null $found       The redirect there is from that source.
	 * @param string     $source      A path as Redirect_Rules::source() gives it.
	 * @param string     $destination A path or an address.
	 * @param int        $status      301, 302, 307 or 308.
	 * @return int|WP_Error Its number.
	 */
	abstract public function save( $found, $source, $destination, $status );

	/**
	 * Who keeps the rows of redirects, and its version.
	 *
	 * @return string
	 */
	public function plugin() {
		return Stored_Seo::plugin();
	}

	/**
	 * What is stored of a redirect of this store; none where a change of it leaves more than that changed.
	 *
	 * @param array $row The redirect, as find() gives it.
	 * @return array[] As Stored_Seo::rows().
	 */
	public function rows_of( array $row ) {
		$rows = array();
		foreach ( static::ROWS as $key ) {
			$rows[ $key ] = array(
				'of'     => $key,
				'values' => Stored_Rows::values( $row['id'], $key ),
			);
		}
		return $rows;
	}

	/**
	 * Has these rows stand there.
	 *
	 * @param int   $id   Number of the redirect.
	 * @param array $rows Values by name.
	 */
	public function put( $id, array $rows ) {
		foreach ( $rows as $key => $values ) {
			Stored_Rows::store( $id, $key, $values );
		}
	}

	/**
	 * Where rows lead.
	 *
	 * @param array $rows Values by name.
	 * @return string
	 */
	public function destination_in( array $rows ) {
		return isset( $rows[ static::DESTINATION ][0] ) ? $rows[ static::DESTINATION ][0] : '';
	}

	/**
	 * The redirects that are followed one after the other from a destination on.
	 *
	 * @param string $destination A path or an address.
	 * @return array[]
	 */
	public function follow( $destination ) {
		$rows = array();
		$path = Redirect_Rules::local_path( $destination );
		while ( null !== $path && count( $rows ) <= Redirect_Rules::HOPS_MAX ) {
			$row = $this->resolve( $path );
			if ( null === $row || '' === $row['destination'] ) {
				break;
			}
			$rows[] = $row;
			$path   = Redirect_Rules::local_path( $row['destination'] );
		}
		return $rows;
	}

	/**
	 * A row of an answer.
	 *
	 * @param int    $id          Number of the redirect.
	 * @param string $source      Its source.
	 * @param string $destination Its destination.
	 * @param mixed  $status      Its status.
	 * @return array
	 */
	protected static function row( $id, $source, $destination, $status ) {
		return array(
			'id'          => (int) $id,
			'source'      => (string) $source,
			'destination' => (string) $destination,
			'status'      => (int) $status,
		);
	}
}
