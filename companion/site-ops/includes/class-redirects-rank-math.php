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

	/** How many redirects are asked for at once. */
	const ROWS = 100;

	/** {@inheritDoc} */
	public function find( $source ) {
		$page = 0;
		do {
			$asked = array(
				'search' => trim( $source, '/' ),
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
		$item = call_user_func(
			array( self::ITEM, 'from' ),
			array(
				'id'          => $found ? $found['id'] : 0,
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
		$id   = $item->save();
		return $id ? (int) $id : Errors::make( 'seo_provider_missing', __( 'Rank Math did not take the redirect', 'site-ops' ) );
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
				if ( isset( $source['pattern'], $source['comparison'] ) && 'exact' === $source['comparison'] ) {
					$rows[] = self::row( $one['id'], '/' . trim( $source['pattern'], '/' ), $one['url_to'], $one['header_code'] );
				}
			}
		}
		return array(
			'rows'  => $rows,
			'total' => (int) $answer['count'],
		);
	}
}
