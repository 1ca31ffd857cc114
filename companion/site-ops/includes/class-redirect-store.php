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

	/**
	 * The store of this site.
	 *
	 * @return Redirect_Store|WP_Error An error where a provider says it has redirects and does not.
	 */
	public static function active() {
		$provider = Seo_Provider::active()->id();
		if ( 'rankmath' === $provider && in_array( 'redirections', (array) get_option( 'rank_math_modules', array() ), true ) ) {
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
	 * The redirect from that path.
	 *
	 * @param string $source A path as Redirect_Rules::source() gives it.
	 * @return array|null id, source, destination, status.
	 */
	abstract public function find( $source );

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
	 * The redirects that are followed one after the other from a destination on.
	 *
	 * @param string $destination A path or an address.
	 * @return array[]
	 */
	public function follow( $destination ) {
		$rows = array();
		$path = Redirect_Rules::local_path( $destination );
		while ( null !== $path && count( $rows ) <= Redirect_Rules::HOPS_MAX ) {
			$row = $this->find( $path );
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
