<?php
/**
 * What a held call did, as it is told and judged.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** Makes a list of effects, and says which of them were not allowed. */
final class Hold_Effects {

	/** How many are told one by one. */
	const TOLD_MAX = 200;

	/**
	 * Every effect, those outside the database first.
	 *
	 * @var array[]
	 */
	private $all = array();

	/**
	 * Rows that stay, without caches and what is the tool server's own.
	 *
	 * @var array
	 */
	private $rows = array();

	/**
	 * Labels that are not allowed, by label.
	 *
	 * @var bool[]
	 */
	private $over = array();

	/**
	 * What would set the call back.
	 *
	 * @var Hold_Setback
	 */
	public $setback;

	/**
	 * What the header asks for.
	 *
	 * @var Hold_Ask
	 */
	private $ask;

	/**
	 * The sum of all that matters; null until it was asked for.
	 *
	 * @var string|null
	 */
	private $digest = null;

	/**
	 * Lists the effects.
	 *
	 * @param Hold_Ask  $ask     What the header asks for.
	 * @param array     $rows    As Hold_Database::rows() gives them.
	 * @param array[]   $files   As Hold_Files::stop() gives them.
	 * @param array[]   $outside As Hold_Outside::$notes has them.
	 * @param Hold_Link $db      The database.
	 */
	public function __construct( Hold_Ask $ask, array $rows, array $files, array $outside, Hold_Link $db ) {
		$this->ask     = $ask;
		$this->setback = new Hold_Setback();
		foreach ( $outside as $note ) {
			$this->add( $note['label'], $note['what'], 'made', ! empty( $note['granted'] ) );
		}
		foreach ( $files as $path => $pair ) {
			$this->add_file( $path, $pair );
		}
		$labels = new Hold_Labels( $rows, $db, $ask->own );
		foreach ( $rows as $table => $changes ) {
			foreach ( $changes as $key => $pair ) {
				$this->add_row( $labels, $table, (string) $key, $pair );
			}
		}
	}

	/**
	 * The effects that are told one by one.
	 *
	 * @return array[]
	 */
	public function told() {
		return array_slice( Hold_Told::ordered( $this->all ), 0, self::TOLD_MAX );
	}

	/**
	 * How many more there are.
	 *
	 * @return int
	 */
	public function more() {
		return max( 0, count( $this->all ) - self::TOLD_MAX );
	}

	/**
	 * Every label that occurs.
	 *
	 * @return string[]
	 */
	public function labels() {
		return array_values( array_unique( array_column( $this->all, 'label' ) ) );
	}

	/**
	 * The labels of effects that were not allowed.
	 *
	 * @return string[]
	 */
	public function over() {
		return array_keys( $this->over );
	}

	/**
	 * Rows that matter, before and after.
	 *
	 * @return array
	 */
	public function rows() {
		return $this->rows;
	}

	/**
	 * A sum of all effects outside the database that matter, told or not.
	 *
	 * @return string
	 */
	public function outside_digest() {
		return hash( 'sha256', serialize( $this->outside() ) );
	}

	/**
	 * The effects outside the database that matter, as texts.
	 *
	 * @return string[]
	 */
	private function outside() {
		$texts = array();
		foreach ( $this->all as $effect ) {
			if ( null === $effect['table'] && 'cache' !== $effect['label'] ) {
				$texts[] = implode( ' ', array( $effect['label'], $effect['change'], $effect['what'], Json::text( $effect['fields'] ) ) );
			}
		}
		return $texts;
	}

	/**
	 * A sum of all that matters.
	 *
	 * @return string
	 */
	public function digest() {
		if ( null === $this->digest ) {
			$text = serialize( array( $this->rows, $this->outside() ) );
			// The same sum; OpenSSL takes a fifth of the time.
			$this->digest = function_exists( 'openssl_digest' ) ? openssl_digest( $text, 'sha256' ) : hash( 'sha256', $text );
		}
		return $this->digest;
	}

	/**
	 * Adds an effect outside the database.
	 *
	 * @param string  $label   Its label.
	 * @param string  $what    What it is.
	 * @param string  $change  made, changed or removed.
	 * @param bool    $granted Whether the header allows it by name.
	 * @param array[] $fields  Its values.
	 */
	private function add( $label, $what, $change, $granted = false, array $fields = array() ) {
		$this->all[] = array(
			'label'  => $label,
			'what'   => $what,
			'change' => $change,
			'table'  => null,
			'key'    => null,
			'post'   => null,
			'fields' => $fields,
		);
		$this->setback->add_outside( $label, $what, $granted && 'outbound' === $label );
		if ( ! $granted && ! in_array( $label, $this->allowed(), true ) ) {
			$this->over[ $label ] = true;
		}
	}

	/**
	 * Adds a file.
	 *
	 * @param string $path Its path below WordPress.
	 * @param array  $pair Sum of its bytes before and after; null for none.
	 */
	private function add_file( $path, array $pair ) {
		$label = 'files';
		// A folder of the builder is made by the first call that looks into it, and shows nothing by itself.
		$is_made = array( null, 'folder' ) === $pair && preg_match( '#^wp-content/(cache|uploads/elementor)(/|$)#', $path );
		if ( $is_made || preg_match( '#^wp-content/(cache/|uploads/elementor/(css|js)/)#', $path ) ) {
			$label = 'cache';
		}
		if ( preg_match( '#\.(php\d?|phtml|phar|inc|cgi|pl|py|sh)(\.|$)|(^|/)\.(htaccess|user\.ini)$#i', $path ) ) {
			$label = 'code';
		}
		$sum = array(
			'name' => 'sha1',
			'from' => $pair[0],
			'to'   => $pair[1],
		);
		$this->add( $label, "File $path", self::change( $pair ), false, array( $sum ) );
	}

	/**
	 * Adds a row.
	 *
	 * @param Hold_Labels $labels Labels rows.
	 * @param string      $table  Its table.
	 * @param string      $key    Its key.
	 * @param array       $pair   The row before and after.
	 */
	private function add_row( Hold_Labels $labels, $table, $key, array $pair ) {
		list( $before, $after ) = $pair;
		list( $label, $id )     = $labels->of( $table, $before, $after );

		$short       = Hold_Labels::short( $table );
		$post        = $id ? $labels->post( $id ) : null;
		$what        = Hold_Told::what( $short, $key, $after ?? $before, $post );
		$this->all[] = array(
			'label'  => $label,
			'what'   => $what,
			'change' => self::change( $pair ),
			'table'  => $short,
			'key'    => $key,
			'post'   => $post ? Hold_Told::post( $post ) : null,
			'fields' => 'own' === $label ? array() : Hold_Fields::differing( $short, $before, $after ),
		);
		$this->setback->add_row( $label, $short, $what, $pair );
		if ( 'draft' === $label ? ! $this->is_allowed_draft( $id, $post ) : ! in_array( $label, $this->allowed(), true ) ) {
			$this->over[ $label ] = true;
		}
		if ( ! in_array( $label, array( 'cache', 'own' ), true ) ) {
			$this->rows[ $table ][ $key ] = $pair;
		}
	}

	/**
	 * Labels that may occur.
	 *
	 * @return string[]
	 */
	private function allowed() {
		return array_merge( Hold_Ask::ALWAYS, $this->ask->allow );
	}

	/**
	 * Whether that draft may be changed.
	 *
	 * @param int   $id   Number of the post.
	 * @param array $post As Hold_Labels::post() gives it.
	 * @return bool
	 */
	private function is_allowed_draft( $id, array $post ) {
		if ( null === $post[1] && in_array( 'draft-new', $this->ask->allow, true ) ) {
			return true;
		}
		return in_array( 'draft', $this->ask->allow, true ) && ( 0 === $this->ask->of || $this->ask->of === $id );
	}

	/**
	 * The word for a change.
	 *
	 * @param array $pair What was before and after.
	 * @return string
	 */
	private static function change( array $pair ) {
		if ( null === $pair[0] ) {
			return 'made';
		}
		return null === $pair[1] ? 'removed' : 'changed';
	}
}
